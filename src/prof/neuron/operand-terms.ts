/**
 * Words in operands of instructions, and fields of a summary that are no metrics.
 * Source: what holds for all instructions of five captures of Trainium2; words whose meaning that leaves open are not here.
 */
export const OPERAND_WORDS: readonly (readonly [term: string, meaning: string])[] = [
  ['S[<n>]', 'semaphore n, in parentheses the engine or queue that owns it: `S[5]>=1` waits, `S[5]++@complete` raises it'],
  ['$S[<n>]', 'semaphore n as well, in instructions around the program'],
  ['$R[<n>]', 'register n of the engine'],
  ['$E[<n>]', 'event n of the engine'],
  ['src', 'what is read: `type@address[strides][sizes]`, a stride and an extent for each loop, the innermost first, in elements of one partition'],
  ['dst', 'what is written, as src; addresses from 0x2000000 on are of PSUM, those below of SBUF'],
  ['channels', 'partitions that take part: bytes of src and dst are those of one'],
  ['<rows>*<columns>', 'part of the array of multipliers that a product uses; times the elements of src: its multiply-accumulates'],
  ['acc_flags', 'place of a MATMUL among those that are added up at one address of PSUM: 1 the first, 0 between, 2 the last, 3 the only one'],
  ['fp32_mode', 'FP32 in two halves: LOW or HIGH of the weights in LDWEIGHTS, both of the moving operand (LOW_HIGH) in MATMUL'],
  ['transpose_mode', 'ENABLED: the products with these weights are a transpose, no arithmetic of the model'],
  ['ops', 'operations one after the other on each element; BYPASS is none'],
  ['imm_src', 'where each value of imm is: in the instruction (INSTRUCTION), or at that address (PTR)'],
  ['semaphore', 'of a transfer: number of the semaphore that it raises as its packets complete, by sem_increment in all'],
  ['src_pattern', 'of a transfer: `[strides][sizes]` of what is read, in bytes and in elements of src_elem_size; so dst_pattern'],
  ['src_elem_size', 'of a transfer: bytes of one element of src_pattern; so dst_elem_size'],
]; // prettier-ignore

export const SUMMARY_FIELDS: readonly (readonly [term: string, meaning: string])[] = [
  ['ultraserver_id', 'which UltraServer, several instances joined into one, the capture is of'],
  ['ultraserver_size', 'how many instances that UltraServer joins'],
  ['ultraserver_type', 'how its instances are connected'],
  ['ultraserver_instance_index', 'which of its instances the capture is of'],
  [
    's3_bucket_path',
    'where in S3 the files of the capture were put; not read, as paths may tell more than a profile should',
  ],
];
