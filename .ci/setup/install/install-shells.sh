# zsh and fish, beside bash
{ command -v zsh && command -v fish; } || bash .ci/environments/apt.sh zsh fish
