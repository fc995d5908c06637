"""The profiler of the stub: it sees one kernel."""
import types

ProfilerActivity = types.SimpleNamespace(CPU=0, CUDA=1)


class profile:
    def __init__(self, activities):
        self.activities = activities

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def events(self):
        span = types.SimpleNamespace(elapsed_us=lambda: 2.5)
        return [
            types.SimpleNamespace(name="aten::op", device_type="DeviceType.CPU", time_range=span),
            types.SimpleNamespace(name="stub_kernel", device_type="DeviceType.CUDA", time_range=span),
        ]
