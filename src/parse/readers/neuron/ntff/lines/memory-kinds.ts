/** Uses of device memory: the runtime's term in captures → the vendor tool's. */
const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ['generic', 'Generic'],
  ['pe', 'Tensor Instructions'],
  ['act', 'Scalar Instructions'],
  ['pool', 'GpSimd Instructions'],
  ['dve', 'Vector Instructions'],
  ['sp', 'Sync Instructions'],
  ['io', 'IO'],
  ['spill', 'DRAM Spill'],
  ['weight', 'Weights'],
  ['profiler buffers', 'Profiler Buffers'],
  ['act table', 'Scalar Table'],
  ['shared scratchpad', 'Shared Scratchpad'],
  ['tensor', 'Tensors'],
  ['ucode', 'Ucode lib'],
  ['pool stdio', 'GpSimd STDIO'],
  ['collectives', 'Collectives'],
  ['scratchpad', 'Scratchpad'],
  ['xt cc', 'XT CC (unused)'],
  ['dma rings runtime', 'DMA Rings Runtime'],
  ['dma rings spill', 'DMA Rings Spill'],
  ['dma rings io', 'DMA Rings IO'],
  ['dma rings collectives', 'DMA Rings Collectives'],
]);

/** The sum of all kinds on one core. */
export const TOTAL = 'Total';

/** The tool's term; the runtime's for an unknown one. */
export const memoryKind = (name: string): string => TOOL_NAMES.get(name) ?? name;
