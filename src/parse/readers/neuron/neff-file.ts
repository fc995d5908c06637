/** What other readers use of NEFF files: tensors, queues and the compiler's version, which a device trace lacks. */
export { findProgram, type ProgramWanted } from './neff/find-program.js';
export type { Program } from './neff/program.js';
export { readNeff } from './neff/read-program.js';
