/** First byte of an instruction → the vendor tool's name. From its output for captures of Trainium2; incomplete. */
const NAMES: Readonly<Record<number, string>> = {
  0x01: 'LDWEIGHTS',
  0x02: 'MATMUL',
  0x21: 'ACTIVATE',
  0x23: 'ACT_TABLE_LOAD',
  0x42: 'TENSOR_REDUCE',
  0x43: 'TENSOR_SCALAR',
  0x46: 'COPY',
  0x47: 'CAST',
  0x48: 'RECIPROCAL',
  0xa0: 'EVENT_SEMAPHORE',
  0xa2: 'DRAIN',
  0xa4: 'NOP',
  0xa5: 'WRITE',
  0xa6: 'NOTIFY',
  0xa9: 'COMPARE_BRANCH',
  0xaa: 'TENSOR_LOAD',
  0xb0: 'EVENT_SEMAPHORE_RANGE_CLEAR',
  0xb1: 'SET_ORDERING_MODE',
  0xb8: 'DMA_DIRECT2D',
};

/** Codes of an instruction that the file lacks, and of one whose engine has no program in the file. */
export const NO_OPCODE = 256;
export const NO_PROGRAM = 257;

const hexadecimal = (byte: number): string => `0x${byte.toString(16).toUpperCase().padStart(2, '0')}`;

/** Name of every opcode: `0x3F` for an unknown one, `na` for `NO_OPCODE` and `NO_PROGRAM`. */
export const OPCODE_NAMES: readonly string[] = [
  ...Array.from({ length: NO_OPCODE }, (_, byte) => NAMES[byte] ?? hexadecimal(byte)),
  'na',
  'na',
];

export const isKnownOpcode = (opcode: number): boolean => opcode in NAMES;
