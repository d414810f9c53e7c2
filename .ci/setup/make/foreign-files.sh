# Files that packages of other projects carry, in $WORK/foreign
# needs: install-python
"$ENVIRONMENTS/python/bin/python" .ci/foreign/foreign_files.py "$WORK/foreign"
