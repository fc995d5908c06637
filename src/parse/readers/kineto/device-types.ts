/**
 * PyTorch's numbers of kinds of devices, and what it calls them.
 * Source: torch/headeronly/core/DeviceType.h (before: c10/core/DeviceType.h).
 */
export const DEVICE_TYPES: readonly string[] = [
  ...['CPU', 'CUDA', 'MKLDNN', 'OpenGL', 'OpenCL', 'IDEEP', 'HIP', 'FPGA', 'MAIA', 'XLA', 'Vulkan', 'Metal', 'XPU'],
  ...['MPS', 'Meta', 'HPU', 'VE', 'Lazy', 'IPU', 'MTIA', 'PrivateUse1'],
];

/** The host's own memory. */
export const HOST = DEVICE_TYPES.indexOf('CPU');
