"""usage: damage_files.py FOLDER COMMAND

Damage the only file of the folder, if there is one, in many ways; each time
COMMAND must print a measurement and mend the file with the same one, which may
differ from the last on a busy machine. A whole file is believed."""
import os
import re
import subprocess
import sys

folder, command = sys.argv[1:]


def run():
    out = subprocess.run(command.split(), capture_output=True, check=True)
    return re.search(rb"^fma_ports = (\d+)$", out.stdout, re.M).group(1).decode()


names = os.listdir(folder) if os.path.isdir(folder) else []
for name in names:
    path = os.path.join(folder, name)
    whole = open(path).read()
    words = whole.split()
    damages = ["", "\0" * 64, "x" * 4096, whole[:-3], whole + whole, whole[:9],
               whole.replace(words[2], "0123456789abcdef")]
    for word in ("0", "-1", "99", "nan", "99999999999999999999"):
        damages.append(" ".join(words[:4] + [word]) + "\n")
        damages.append(" ".join(words[:3] + [word] + words[4:]) + "\n")
    for damage in damages:
        with open(path, "w") as f:
            f.write(damage)
        ports = run()
        assert 1 <= int(ports) <= 4, damage
        mended = open(path).read()
        assert mended == " ".join(mended.split()) + "\n", damage
        assert mended.split()[:3] == words[:3], damage
        assert mended.split()[4:] == [ports], damage
    with open(path, "w") as f:
        f.write(" ".join(words[:4] + ["7"]) + "\n")
    assert run() == "7"
