"""The subcommands, one module each, and the options they share."""
