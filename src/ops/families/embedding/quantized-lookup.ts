/** Lookups in tables of quantised rows, for inference: FBGEMM's `int_nbit_split_embedding_codegen_lookup_function`. */
import { elementCount, numel, type Tensor } from '../../call.js';
import { rules, withTensors, type BoundCall } from '../../schema/op-rules.js';
import { tensor } from '../../work.js';
import { lookupParams } from './embedding-bags.js';
import { NO_POOLING, sparseType } from './sparse-types.js';

const SOURCE = 'FBGEMM, fbgemm_gpu/codegen/inference (embedding_forward_quantized_host.cpp) and embedding_common.h';

/** How rows are stored: the argument that has the width of the widest such table, and what one element takes. */
interface RowFormat {
  readonly widest: string;
  readonly bits: number;
  /** Whether elements are whole numbers, with a scale and a bias of two bytes each in front of the row. */
  readonly whole: boolean;
}

const FORMATS: readonly RowFormat[] = [
  { widest: 'max_int2', bits: 2, whole: true },
  { widest: 'max_int4', bits: 4, whole: true },
  { widest: 'max_int8', bits: 8, whole: true },
  { widest: 'max_float8', bits: 8, whole: false },
  { widest: 'max_float16', bits: 16, whole: false },
  { widest: 'max_float32', bits: 32, whole: false },
];

/** The format of all tables, which must be as wide as each other; null where that is unspecified, or not so. */
function onlyFormat(bound: BoundCall, width: number): RowFormat | null {
  // None stands for no such table.
  const used = FORMATS.filter(
    ({ widest }) => bound.arg(widest) !== undefined && bound.value(widest) !== 0 && bound.value(widest) !== null,
  );
  const [format] = used;
  return format === undefined || used.length > 1 || bound.count(format.widest) !== width ? null : format;
}

/** Rows begin at multiples of so many bytes, where no argument says otherwise. */
const ALIGNMENT = 16;

function storedBytes({ bits, whole }: RowFormat, width: number, bound: BoundCall): number {
  const alignment = Math.max(1, bound.count('row_alignment') ?? ALIGNMENT);
  const bytes = Math.ceil((width * bits) / 8) + (whole ? 4 : 0);
  return Math.ceil(bytes / alignment) * alignment;
}

/** Operations per element of a row: scale and bias, its addition to the sum, its weight. */
const perElement = ({ whole }: RowFormat, isSummed: boolean, weights: number): number =>
  (whole ? 2 : 0) + (isSummed ? 1 : 0) + weights;

const lookup = withTensors('weights indices offsets D_offsets', (weights, indices, offsets, starts, bound) => {
  const [total, mode, tables] = [bound.count('total_D'), bound.count('pooling_mode'), numel(starts.shape) - 1];
  const width = total === null || tables < 1 ? 0 : total / tables;
  const format = onlyFormat(bound, width);
  const about = {
    params: lookupParams(weights, indices),
    formula:
      'flops = (2 for whole numbers + 1 to sum + 1 for a weight)·n·D; bytes = indices + offsets + n rows + results',
    source: SOURCE,
  };
  if (mode === null || format === null)
    return { ...about, flops: null, writes: null, unknown: 'the tables differ in width or type, or it is unspecified' };
  const [count, isSummed] = [numel(indices.shape), mode !== NO_POOLING];
  const given = bound.tensorsOf('indice_weights');
  const bytes = Math.min(
    count * storedBytes(format, width, bound),
    elementCount(bound.tensorsOf('weights uvm_weights')),
  );
  const rows: Tensor = tensor([bytes], 'uint8');
  const results = isSummed ? Math.max(0, numel(offsets.shape) - 1) : count;
  return {
    ...about,
    flops: perElement(format, isSummed, given.length) * count * width,
    reads: [indices, offsets, ...given, rows],
    writes: [tensor([results, width], sparseType(bound.count('output_dtype')))],
  };
});

const ARGUMENTS =
  '@weights @uvm_weights @placements @weights_offsets @types @D_offsets total_D max_int2 max_int4 max_int8 ' +
  'max_float16 max_float32 @indices @offsets pooling_mode @indice_weights? output_dtype @lxu_cache? @locations?';

export const QUANTIZED_LOOKUP = rules`
  // Earlier versions have no alignment, and no 8-bit floating point.
  ${lookup} int_nbit_split_embedding_codegen_lookup_function
      int_nbit_split_embedding_uvm_caching_codegen_lookup_function: ${ARGUMENTS} row_alignment max_float8 ...
      | ${ARGUMENTS}
`;
