# Stores of AnnData of all kinds, in $WORK/made
# needs: install-python
mkdir "$WORK/made" && "$ENVIRONMENTS/python/bin/python" "$SHARED/fixtures/anndata_make.py" "$WORK/made"
