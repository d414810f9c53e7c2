# A conversion, a split, a concat or a union that is killed leaves what was there or the whole output, and the next one removes what is left
# needs: build
set -uo pipefail
passed=0 failed=0 moments=40 seed=1
[[ -n $FULL ]] || moments=4 seed=$SAMPLE_SEED
echo "seed $seed"
# Without --full, every third row of the table takes its turn.
row=$seed
taken() { [[ -n $FULL ]] || ((++row % 3 == 0)); }
# kills OUTPUT COMMAND…: kills a command that writes {}, and counts.
kills() {
  local output=$1 line
  shift
  node .ci/kill.mjs --moments "$moments" --seed "$seed" --before "$WORK/before-$output" "$output" -- "$@" \
    </dev/null | tee "$WORK/kill.log"
  line=$(tail -n 1 "$WORK/kill.log")
  [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || exit
  passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
}
# The output; the command; its input; how it is written; how what is there before differs from it.
while IFS='|' read -r output command input flags before; do
  taken || continue
  # shellcheck disable=SC2086
  node dist/cli/main.js "$command" "$input" "$WORK/before-$output" $flags $before </dev/null || exit
  # shellcheck disable=SC2086
  kills "$output" node dist/cli/main.js "$command" "$input" {} --overwrite $flags
done <<'EOT'
copy.h5ad|convert|examples/pbmc.h5ad|--lossy|--table X
by-genes.h5ad|convert|examples/pbmc.h5ad|--order csc|--table X
copy.zarr|convert|examples/pbmc.h5ad|--lossy|--table X
kept.h5ad|convert|examples/pbmc.h5ad|--lossy --compression keep|--table X
kept.zarr|convert|examples/pbmc.h5ad|--lossy --compression keep|--table X
copy.zarr.zip|convert|examples/pbmc.h5ad|--lossy|--table X
copy.loom|convert|examples/pbmc.h5ad|--lossy|--table X
copy.mat|convert|examples/pbmc.h5ad|--lossy|--table X
copy.bpcells|convert|examples/pbmc.h5ad|--lossy --table X|--unpacked
copy.bpcells.h5|convert|examples/pbmc.h5ad|--lossy --table X|--unpacked
copy.bpcells.rds|convert|examples/pbmc.h5ad|--lossy --table X|--unpacked
copy.h5mu|convert|test/fixtures/data/mudata/axis0.h5mu|--lossy|--compression none
copy.mudata.zarr|convert|test/fixtures/data/mudata/axis0.h5mu|--lossy|--compression none
tables|convert|examples/pbmc.h5ad|--to parquet|--table obs
parts|split|examples/pbmc.h5ad|--by cell_type|--elements obs,var
stores|split|examples/pbmc.h5ad|--by cell_type --to zarr|--elements obs,var
zips|split|examples/pbmc.h5ad|--by cell_type --to zarr.zip|--elements obs,var
genes|split|examples/pbmc.h5ad|--axis var --rows 250 --var-slice 0:700|--elements obs,var
gene-stores|split|examples/pbmc.h5ad|--axis var --rows 250 --var-slice 0:700 --to zarr|--elements obs,var
looms|split|examples/pbmc.h5ad|--by cell_type --to loom --lossy|--compression none
mats|split|examples/pbmc.h5ad|--by cell_type --to mat --elements X,obs,var|--obs-slice 0:2000
bpcells|split|examples/pbmc.h5ad|--by cell_type --to bpcells --elements X,obs,var --lossy|--obs-slice 0:2000
bpcells-h5|split|examples/pbmc.h5ad|--by cell_type --to bpcells.h5 --elements X,obs,var --lossy|--obs-slice 0:2000
bpcells-rds|split|examples/pbmc.h5ad|--by cell_type --to bpcells.rds --elements X,obs,var --lossy|--obs-slice 0:2000
arrows|split|examples/pbmc.h5ad|--by cell_type --to arrow --elements X,obs,var|--obs-slice 0:2000
mudatas|split|test/fixtures/data/mudata/axis0.h5mu|--rows 2 --to mudata.zarr --lossy|--compression none
EOT
inputs=(examples/pbmc.h5ad examples/pbmc.zarr.zip)
for output in both.h5ad both.zarr; do
  taken || continue
  node dist/cli/main.js concat "${inputs[@]}" -o "$WORK/before-$output" --join inner </dev/null || exit
  kills "$output" node dist/cli/main.js concat "${inputs[@]}" -o {} --join outer --label file --overwrite
done
# Each moment kills seven commands.
node .ci/kill-union.mjs --moments $(((moments + 3) / 4)) --seed "$seed" </dev/null | tee "$WORK/kill.log"
[[ $(tail -n 1 "$WORK/kill.log") =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]] || exit
passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
echo "$passed passed, $failed failed"
((failed == 0))
