# bash, zsh and fish, and a Python that types into their terminals
# uses: install-uv
set -euo pipefail
{ command -v zsh && command -v fish && [[ -e /usr/share/bash-completion/bash_completion ]]; } ||
  bash .ci/environments/apt.sh zsh fish bash-completion
python=$(bash .ci/environments/find-python.sh)
bash .ci/environments/python.sh "$ENVIRONMENTS/shells" "$python" pexpect==4.9.0 pyte==0.8.2
