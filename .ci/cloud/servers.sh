# Starts servers of S3, Google and Azure for the script that sources this file, until it ends. "servers" then has their
# addresses: moto=http://127.0.0.1:1 azurite=… gcs=…, with --full also rclone=….
port=$((20000 + RANDOM % 20000)) pids=()
trap 'kill "${pids[@]}" 2>/dev/null' EXIT
serve() {
  "$@" >"$WORK/cloud-$((port)).log" 2>&1 &
  pids+=($!)
}
address() { echo "http://127.0.0.1:$port"; }
serve "$ENVIRONMENTS/moto/bin/moto_server" -p "$port"
servers="moto=$(address)" ports=("$port")
((port++))
serve "$ENVIRONMENTS/azurite/node_modules/.bin/azurite-blob" --silent --inMemoryPersistence --skipApiVersionCheck --blobPort "$port"
servers+=" azurite=$(address)" ports+=("$port")
((port++))
serve "$ENVIRONMENTS/go/fake-gcs-server" -scheme http -host 127.0.0.1 -port "$port" -backend memory \
  -public-host "127.0.0.1:$port" -external-url "$(address)"
servers+=" gcs=$(address)" ports+=("$port")
if [[ -n $FULL ]]; then
  ((port++))
  mkdir "$WORK/rclone"
  serve "$ENVIRONMENTS/go/rclone" serve s3 --addr "127.0.0.1:$port" --auth-key testing,testing "$WORK/rclone"
  servers+=" rclone=$(address)" ports+=("$port")
fi
for one in "${ports[@]}"; do
  # On a machine that does other things too, moto alone takes more than half a minute.
  for ((i = 0; i < 1800; i++)); do
    { : >"/dev/tcp/127.0.0.1/$one"; } 2>/dev/null && continue 2
    sleep 0.1
  done
  echo "the server of port $one does not answer" && cat "$WORK/cloud-$one.log" && exit 1
done
