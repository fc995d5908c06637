/** How much of each input the benchmarks have. */
import type { Sizes } from './inputs.js';

export const FULL: Sizes = { nsight: 200_000, trace: 220e6, ntff: 100e6, ascend: 100e6, records: 10_000, ranks: 128 };
