"""usage: damage_files.py FOLDER COMMAND EXPECTED

Damage the only file of the folder, if there is one, in many ways; COMMAND must
print EXPECTED and mend the file each time. A whole file is believed."""
import os
import subprocess
import sys

folder, command, expected = sys.argv[1:]
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
        out = subprocess.run(command.split(), capture_output=True, check=True)
        assert out.stdout == open(expected, "rb").read(), damage
        assert open(path).read() == whole, damage
    with open(path, "w") as f:
        f.write(" ".join(words[:4] + ["7"]) + "\n")
    out = subprocess.run(command.split(), capture_output=True, check=True)
    assert b"fma_ports = 7\n" in out.stdout
