from attn_tui.report.report import Report
def report(answer):
    return Report("", [])
