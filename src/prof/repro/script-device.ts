/** The device of PyTorch on which a script runs an op. */
import { statedDevice } from '../../record/fields/stated-device.js';
import type { Annotated } from '../annotate.js';

/** By vendor: the device's name in PyTorch, and the import that it needs. AMD's devices have the name of NVIDIA's. */
const DEVICES: Readonly<Record<string, readonly [device: string, module: string | null]>> = {
  nvidia: ['cuda', null],
  amd: ['cuda', null],
  intel: ['xpu', null],
  huawei: ['npu', 'torch_npu'],
};

interface ScriptDevice {
  readonly device: string;
  /** Lines of Python. */
  readonly imports: readonly string[];
}

/** The device for a kernel's vendor; `cuda` for an unknown one. */
export function vendorDevice({ profile, record }: Annotated): ScriptDevice {
  const vendor = statedDevice(profile, record.device)?.vendor ?? '';
  const [device, module] = (Object.hasOwn(DEVICES, vendor) ? DEVICES[vendor] : undefined) ?? ['cuda', null];
  return { device, imports: module === null ? [] : [`import ${module}  # noqa: F401`] };
}
