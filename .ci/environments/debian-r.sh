#!/usr/bin/env bash
# Unpacks R, and packages of it, of one version of Debian into a folder: bash debian-r.sh FOLDER SUITE PACKAGE…
#
# Nothing is installed and no script of a package runs, so it needs no root, and two versions of R stand side by side on
# any machine with apt. FOLDER/Rscript starts R by the C library that belongs to it. A folder that is whole is kept.
set -euo pipefail
folder=$1 suite=$2
shift 2
wanted="$suite $*"
[[ ! -f $folder/whole || $(cat "$folder/whole") != "$wanted" ]] || exit 0
rm -rf "$folder"
mkdir -p "$folder"/apt/{lists,cache}/partial "$folder/root"
folder=$(cd "$folder" && pwd)
root=$folder/root

: >"$folder/apt/status"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] http://deb.debian.org/debian $suite main" >"$folder/apt/sources.list"
apt=(apt-get -qq -o "Dir::State=$folder/apt" -o "Dir::State::status=$folder/apt/status" -o "Dir::Cache=$folder/apt/cache"
  -o "Dir::Etc::SourceList=$folder/apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o Dir::Etc::Preferences=/dev/null
  -o Dir::Etc::PreferencesParts=/dev/null -o Acquire::Languages=none -o APT::Sandbox::User=root -o Debug::NoLocking=1
  -o APT::Get::List-Cleanup=0)
"${apt[@]}" update
"${apt[@]}" install --yes --download-only --no-install-recommends "$@"
# All but what R does not need to run.
find "$folder/apt/cache" -name '*.deb' | xargs -P 2 -n 8 bash -c '
  for deb; do dpkg-deb --fsys-tarfile "$deb" | tar -x -C "'"$root"'" --keep-directory-symlink --no-same-owner \
    --exclude="*/doc/*" --exclude="./usr/share/man" --exclude="./usr/share/fonts" --exclude="./usr/share/locale" \
    --exclude="*/include" --exclude="./usr/share/icons" --exclude="*.a"; done' bash
rm -rf "$folder/apt"

# Debian 12 has libraries in /lib, too.
multiarch=$(basename "$(dirname "$(find "$root/" -maxdepth 4 -name 'libc.so.6' | head -n 1)")")
library=$root/usr/lib/$multiarch
loader=$(find "$root/" "$library" -maxdepth 3 -name 'ld-linux*.so.*' | head -n 1)
paths=$root/usr/lib/R/lib:$library/blas:$library/lapack:$library:$root/lib/$multiarch
# What its script would do: the settings that come with R are the settings.
cp "$root/usr/lib/R/etc/Renviron.ucf" "$root/etc/R/Renviron"
# Settings of Debian's R lie in /etc, to which its folder has links.
find "$root/usr/lib/R" -type l | while read -r link; do
  target=$(readlink "$link")
  [[ $target != /* ]] || ln -sfn "$root$target" "$link"
done
cat >"$folder/Rscript" <<END
#!/bin/sh
# Rscript FILE ARGUMENT…, or Rscript -e EXPRESSION
export R_HOME=$root/usr/lib/R R_SHARE_DIR=$root/usr/share/R/share R_INCLUDE_DIR=$root/usr/share/R/include
export R_DOC_DIR=$root/usr/share/R/doc R_LIBS_SITE=$root/usr/lib/R/site-library R_LIBS_USER=/nonexistent R_ARCH=
export LC_ALL=C.UTF-8 LOCPATH=$root/usr/lib/locale TZ="\${TZ:-UTC}"
if [ "\$1" = -e ]; then
  exec $loader --library-path $paths $root/usr/lib/R/bin/exec/R --no-echo --no-restore --vanilla -e "\$2"
fi
file=\$1
shift
exec $loader --library-path $paths $root/usr/lib/R/bin/exec/R --no-echo --no-restore --vanilla --file="\$file" --args "\$@"
END
chmod +x "$folder/Rscript"
"$folder/Rscript" -e 'cat(R.version.string, "\n")'
echo "$wanted" >"$folder/whole"
