/**
 * NEFF files: the compiled program of a NeuronCore, which tells what a device trace cannot: tensors, queues, the
 * compiler's version. What readers of other files use of them.
 */
export { findProgram, type ProgramWanted } from './neff/find-program.js';
export type { Program } from './neff/program.js';
export { readNeff } from './neff/read-program.js';
