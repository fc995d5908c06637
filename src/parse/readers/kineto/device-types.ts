/**
 * Names of PyTorch's device types; the index of each is its number.
 * Source: torch/headeronly/core/DeviceType.h (before: c10/core/DeviceType.h).
 */
export const DEVICE_TYPES: readonly string[] = [
  ...['CPU', 'CUDA', 'MKLDNN', 'OpenGL', 'OpenCL', 'IDEEP', 'HIP', 'FPGA', 'MAIA', 'XLA', 'Vulkan', 'Metal', 'XPU'],
  ...['MPS', 'Meta', 'HPU', 'VE', 'Lazy', 'IPU', 'MTIA', 'PrivateUse1'],
];

/** Device type of the host's memory. */
export const HOST = DEVICE_TYPES.indexOf('CPU');
