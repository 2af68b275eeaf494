#!/usr/bin/env bash
# Takes the pictures of README in a true terminal window: bash docs/pictures.sh [NAME …]
# Needs Debian's xterm, xvfb, xdotool, imagemagick and fonts-dejavu-core, and attn-tui in .venv.
set -euo pipefail
cd "$(dirname "$0")/pictures"
program=$PWD/../../.venv/bin/attn-tui
home=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$home"' EXIT
export XDG_STATE_HOME=$home DISPLAY=:87
# No picture offers the tour, as the first start does.
mkdir "$home/attn-tui" && echo yes > "$home/attn-tui/started"
Xvfb $DISPLAY -screen 0 1400x1000x24 >/dev/null 2>&1 &
until xdotool getdisplaygeometry >/dev/null 2>&1; do sleep .1; done

# window NAME: begins the program on an instrument, its scores and options behind it.
window() {
    xterm -fa 'DejaVu Sans Mono' -fs 11 -b 0 +sb -geometry 120x40+0+0 -bg black -tn xterm-256color \
        -e env COLORTERM=truecolor "$program" "$@" &
    terminal=$!
    sleep 6
    frame=$(xdotool search --onlyvisible --class xterm | head -1)
    xdotool mousemove 1300 900 windowfocus "$frame"
}

keys() {
    for key in "$@"; do
        xdotool key --delay 60 "$key"
        sleep .4
    done
}

# take NAME SECONDS: waits, and writes what the window shows.
take() {
    sleep "$2"
    import -window "$frame" -colors 128 "PNG8:$1.png"
    kill "$terminal"
    wait "$terminal" 2>/dev/null || true
}

picture() {
    window
    case $1 in
        explore) take explore 1 ;;
        dots) keys 2; take dots 4 ;;
        sweep) keys 3; take sweep 60 ;;
        attention) keys 4; take attention 3 ;;
        heads) keys 5; take heads 15 ;;
        claims) keys 6; take claims 5 ;;
        film) film ;;
    esac
}

# Explore from d_k 1 to 65,536, a frame for each doubling.
film() {
    keys Home
    for step in $(seq 10 26); do
        import -window "$frame" -resize 75% "$home/$step.png"
        keys braceright
    done
    kill "$terminal"
    wait "$terminal" 2>/dev/null || true
    convert -delay 60 "$home"/[12]?.png -layers optimize -colors 64 explore.gif
}

for name in "${@:-explore dots sweep attention heads claims film}"; do
    for each in $name; do
        picture "$each"
    done
done
