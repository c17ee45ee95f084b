"""What the processor is called."""
import platform


def name_cpu():
    """With x86's family and model, as makers give one name to several."""
    words = {}
    with open("/proc/cpuinfo", encoding="utf-8") as lines:
        for line in lines:
            key, _, value = line.partition(":")
            words.setdefault(key.strip(), value.strip())
    name = words.get("model name") or words.get("Model") or \
        platform.processor() or platform.machine()
    if "cpu family" in words:
        name += f" (family {words['cpu family']}, model {words['model']})"
    return name
