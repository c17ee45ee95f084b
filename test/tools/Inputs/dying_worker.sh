#!/bin/sh
# A kernel worker that dies by a signal as often as the folder DEATHS has files,
# one of which it removes, and otherwise is the real one, WORKER.
for death in "$DEATHS"/*; do
  if [ -e "$death" ]; then
    rm "$death"
    kill -SEGV $$
  fi
done
exec "$WORKER" "$@"
