#!/usr/bin/env bash
# discover.sh NET FOLDER START [CABLE...]: simulates the network NET with ibsim, sets it up with opensm, unplugs the cables
# ("S-0002c90300000a00"[3], one end each), and leaves in FOLDER what the tools print when they are started at the device START:
# records.txt, report.txt, links.txt, lines.txt. Needs a network namespace of its own: ibsim listens on abstract sockets.
set -euo pipefail
net=$1 folder=$2
export SIM_HOST=$3
shift 3
sim=$(ls /usr/lib/*/umad2sim/libumad2sim.so)
cd "$folder"
export OSM_TMP_DIR=$folder OSM_CACHE_DIR=$folder

mkfifo console
ibsim -s -N 16384 -S 1024 -P 131072 "$net" <console >ibsim.log 2>&1 &
simulator=$!
exec 3>console
trap 'exec 3>&-; kill "$simulator" 2>/dev/null || true; wait "$simulator" 2>/dev/null || true' EXIT

tool() {  # tool FILE COMMAND...: the simulator may take a moment to listen
  local file=$1
  shift
  for _ in $(seq 100); do
    kill -0 "$simulator" || { cat ibsim.log >&2; return 1; }
    if LD_PRELOAD=$sim timeout 60 "$@" >"$file" 2>"$file.log"; then return 0; fi
    sleep 0.1
  done
  cat "$file.log" >&2
  return 1
}

tool smp.txt smpquery nodeinfo -D 0
tool opensm.txt opensm -o -f "$folder/opensm.log"
for cable in "$@"; do echo "Unlink $cable" >&3; done
[ $# -eq 0 ] || sleep 0.5
tool records.txt ibnetdiscover
tool report.txt ibnetdiscover -p
tool links.txt iblinkinfo
tool lines.txt iblinkinfo -l
