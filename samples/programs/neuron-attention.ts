/**
 * Attention of one head on a logical core of Trainium2: 256 queries and keys of 128 numbers in bfloat16, half of the
 * queries on each of two cores, and a projection of the result. Durations are invented.
 */
import { CoreRun, ENGINES, type NeuronRun, type Step, type Transfer, type Work } from './neuron-run.js';

/** Rows and columns of a tile: the tensor engine's. */
const TILE = 128;
const KEYS = 2;
const BF16 = 2;
const FP32 = 4;

export interface SampleTensor {
  readonly name: string;
  readonly kind: 'input' | 'output' | 'weight';
  readonly shape: readonly number[];
}

export const TENSORS: readonly SampleTensor[] = [
  { name: 'q', kind: 'input', shape: [KEYS * TILE, TILE] },
  { name: 'k', kind: 'input', shape: [KEYS * TILE, TILE] },
  { name: 'v', kind: 'input', shape: [KEYS * TILE, TILE] },
  { name: 'attended', kind: 'output', shape: [KEYS * TILE, TILE] },
  { name: 'w_out', kind: 'weight', shape: [TILE, TILE] },
];
export const bytesOf = ({ shape }: SampleTensor): number => shape.reduce((size, extent) => size * extent, BF16);

const LAYER = 'decoder/layers.0/attention';
const TILE_BYTES = TILE * TILE * BF16;

/** A tile from device memory, or to it. */
const move = (tensor: string, gives: string, way: 'in' | 'out', more: Partial<Step> = {}): Step => {
  const isWeight = tensor === 'w_out';
  const moves: Transfer = {
    tensor,
    bytes: TILE_BYTES,
    packetBytes: isWeight ? 2048 : 4096,
    source: way === 'out' ? 'SB' : isWeight ? 'WEIGHT' : 'VIRTUAL',
    dest: way === 'out' ? 'VIRTUAL' : 'SB',
  };
  const work: Work =
    way === 'in'
      ? { hbm_read_bytes: TILE_BYTES, sbuf_write_bytes: TILE_BYTES }
      : { sbuf_read_bytes: TILE_BYTES, hbm_write_bytes: TILE_BYTES };
  return {
    engine: 'Sync',
    opcode: 'DMA_DIRECT2D',
    ps: 38_000,
    gives,
    layer: `${LAYER}/${way === 'in' ? 'load' : 'store'}`,
    line: way === 'in' ? 24 : 61,
    operands: `src_elem_size=${BF16 * TILE} dst_elem_size=${BF16 * TILE} in_dtype=bfloat16 out_dtype=bfloat16 compute_op=NONE`,
    moves,
    work,
    ...more,
  };
};

interface Product {
  readonly name: string;
  readonly weights: string;
  readonly moving: string;
  readonly layer: string;
  readonly hlo: string;
  readonly line: number;
  readonly type?: Step['type'];
  /** PSUM buffers that must be free. */
  readonly after?: readonly string[];
}

/** Weights into the tensor engine, then a tile through it. */
function product({ name, weights, moving, layer, hlo, line, type = 'REGULAR', after = [] }: Product): Step[] {
  const place = { engine: 'Tensor', layer: `${LAYER}/${layer}`, hlo, line, type } as const;
  return [
    {
      ...place,
      opcode: 'LDWEIGHTS',
      ps: 54_000,
      after: [weights],
      operands: `src=bfloat16@0x4400[1,0,0][${TILE},1,1] ${TILE}*${TILE}`,
      work: { sbuf_read_bytes: TILE_BYTES },
    },
    {
      ...place,
      opcode: 'MATMUL',
      ps: 112_000,
      after: [moving, ...after],
      gives: name,
      operands: `acc_flags=3 src=bfloat16@0x4200[1,0,0][${TILE},1,1] dst=0x2000000[1,0,0][${TILE},1,1] ${TILE}*${TILE}`,
      work: { elements: TILE ** 3, sbuf_read_bytes: TILE_BYTES, psum_write_bytes: TILE * TILE * FP32 },
    },
  ];
}

/** A result from PSUM into the state buffer. */
const copy = (from: string, gives: string, layer: string, line: number, more: Partial<Step> = {}): Step => {
  const read = TILE * TILE * FP32;
  return {
    engine: 'Vector',
    opcode: 'COPY',
    ps: 131_000,
    after: [from],
    gives,
    layer: `${LAYER}/${layer}`,
    line,
    operands: `src=fp32@0x2000000[1,0,0][${TILE},1,1] dst=bfloat16@0x4400[1,0,0][${TILE},1,1]`,
    work: { psum_read_bytes: read, sbuf_write_bytes: TILE_BYTES, psum_read_sbuf_write_bytes: TILE_BYTES },
    ...more,
  };
};

/** A tile transposed: a product with the identity. */
const transposed = (name: string, layer: string, hlo: string, line: number): Step[] => [
  ...product({ name: `${name} in psum`, weights: name, moving: name, layer, hlo, line, type: 'TRANSPOSE' }),
  copy(`${name} in psum`, `${name}T`, layer, line, { hlo }),
];

const keys = Array.from({ length: KEYS }, (_, i) => i);

const SOFTMAX = { layer: `${LAYER}/softmax`, hlo: '%softmax.7 = softmax(%multiply.6)' } as const;

const softmax: readonly Step[] = [
  {
    ...SOFTMAX,
    engine: 'Scalar',
    opcode: 'ACT_TABLE_LOAD',
    ps: 1_280_000,
    line: 41,
    operands: 'table=exp',
    activation: 'Exp',
    gives: 'table',
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'TENSOR_REDUCE',
    ps: 262_000,
    after: keys.map((i) => `scores${i}`),
    gives: 'largest',
    line: 40,
    operands: `op=max src=fp32@0x2000000[1,0,0][${KEYS * TILE},1,1] dst=fp32@0x9000[1,0,0][1,1,1]`,
    work: { psum_read_bytes: KEYS * TILE * TILE * FP32, sbuf_write_bytes: TILE * FP32 },
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'TENSOR_SCALAR',
    ps: 58_000,
    after: ['largest'],
    gives: 'bias',
    line: 41,
    operands: 'op0=mult imm0=-0.0883883 src=fp32@0x9000[1,0,0][1,1,1] dst=fp32@0x9004[1,0,0][1,1,1]',
    work: { sbuf_read_bytes: TILE * FP32, sbuf_write_bytes: TILE * FP32 },
  },
  {
    ...SOFTMAX,
    engine: 'Scalar',
    opcode: 'ACTIVATE',
    ps: 304_000,
    after: ['table', 'bias'],
    gives: 'p',
    line: 42,
    activation: 'Exp',
    operands: `func=exp scale=0.0883883 src=fp32@0x2000000[1,0,0][${KEYS * TILE},1,1] dst=bfloat16@0x9200[1,0,0][${KEYS * TILE},1,1]`,
    work: {
      psum_read_bytes: KEYS * TILE * TILE * FP32,
      sbuf_write_bytes: KEYS * TILE_BYTES,
      psum_read_sbuf_write_bytes: KEYS * TILE_BYTES,
    },
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'TENSOR_REDUCE',
    ps: 228_000,
    after: ['p'],
    gives: 'sums',
    line: 43,
    operands: `op=add src=bfloat16@0x9200[1,0,0][${KEYS * TILE},1,1] dst=fp32@0x9400[1,0,0][1,1,1]`,
    work: { sbuf_read_bytes: KEYS * TILE_BYTES, sbuf_write_bytes: TILE * FP32 },
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'RECIPROCAL',
    ps: 61_000,
    after: ['sums'],
    gives: 'factors',
    line: 44,
    operands: 'src=fp32@0x9400[1,0,0][1,1,1] dst=fp32@0x9404[1,0,0][1,1,1]',
    work: { sbuf_read_bytes: TILE * FP32, sbuf_write_bytes: TILE * FP32 },
  },
];

/** Every engine waits to be started, and sets how its instructions may overtake each other. */
const preamble: readonly Step[] = ENGINES.flatMap((engine): Step[] => [
  { engine, opcode: 'WRITE', ps: 63_000, operands: 'data=0x2 size=4' },
  { engine, opcode: 'SET_ORDERING_MODE', ps: 17_000 },
]);

/** Each engine waits for what it ran; sync signals the host. */
const epilogue: readonly Step[] = [
  ...ENGINES.flatMap((engine): Step[] => [
    { engine, opcode: 'DRAIN', ps: 19_000 },
    {
      engine,
      opcode: 'EVENT_SEMAPHORE',
      ps: 26_000,
      gives: `${engine} done`,
      ...(engine === 'Sync' ? { after: ['stored'] } : {}),
    },
  ]),
  { engine: 'Sync', opcode: 'NOTIFY', ps: 48_000, after: ENGINES.slice(0, 4).map((engine) => `${engine} done`) },
];

const program: readonly Step[] = [
  ...preamble,
  move('q', 'q', 'in'),
  ...keys.map((i) => move('k', `k${i}`, 'in')),
  ...keys.map((i) => move('v', `v${i}`, 'in')),
  move('w_out', 'w_out', 'in', { engine: 'GpSimd', opcode: 'DMA_DIRECT2D', ps: 92_000, line: 26 }),
  ...transposed('q', 'scores', '%transpose.2 = transpose(%q)', 31),
  ...keys.flatMap((i) => transposed(`k${i}`, 'scores', '%transpose.3 = transpose(%k)', 33)),
  ...keys.flatMap((i) =>
    product({
      name: `scores${i}`,
      weights: 'qT',
      moving: `k${i}T`,
      layer: 'scores',
      hlo: '%dot.5 = dot(%transpose.2, %transpose.3)',
      line: 36,
    }),
  ),
  ...softmax,
  // Half of the probabilities go through each product with values.
  ...keys.flatMap((i) => [
    ...product({
      name: `p${i} in psum`,
      weights: 'p',
      moving: 'p',
      layer: 'values',
      hlo: '%transpose.8 = transpose(%softmax.7)',
      line: 48,
      type: 'TRANSPOSE',
      after: [`anti scores${i}`],
    }),
    copy(`p${i} in psum`, `p${i}T`, 'values', 48, { hlo: '%transpose.8 = transpose(%softmax.7)' }),
  ]),
  ...keys.flatMap((i) =>
    product({
      name: `o${i}`,
      weights: `p${i}T`,
      moving: `v${i}`,
      layer: 'values',
      hlo: '%dot.9 = dot(%softmax.7, %v)',
      line: 51,
    }),
  ),
  copy(`o${KEYS - 1}`, 'o', 'values', 53, {
    opcode: 'TENSOR_SCALAR',
    after: [`o${KEYS - 1}`, 'factors'],
    hlo: '%multiply.10 = multiply(%dot.9, %reciprocal)',
    operands: `op0=mult src=fp32@0x2000000[1,0,0][${TILE},1,1] scalar=fp32@0x9404 dst=bfloat16@0x9600[1,0,0][${TILE},1,1]`,
  }),
  ...transposed('o', 'output', '%transpose.11 = transpose(%multiply.10)', 56),
  ...product({
    name: 'projected',
    weights: 'oT',
    moving: 'w_out',
    layer: 'output',
    hlo: '%dot.12 = dot(%multiply.10, %w_out)',
    line: 57,
  }),
  copy('projected', 'result', 'output', 59, {
    engine: 'Scalar',
    hlo: '%convert.13 = convert(%dot.12)',
    opcode: 'ACTIVATE',
    ps: 148_000,
    activation: 'Copy',
  }),
  { engine: 'GpSimd', opcode: 'NOP', ps: 21_000, after: ['result'] },
  move('attended', 'stored', 'out', { after: ['result'] }),
  ...epilogue,
];

/** Matrix products as the model defines them, transposes left out. */
export const MODEL_FLOPS = 2 * 2 * (2 * KEYS + 1) * TILE ** 3;

export function attention(): NeuronRun {
  const cores = [
    new CoreRun(
      4,
      'sg00',
      [
        { start: 2_400_310, k: 8, n: 8, kind: 0 },
        { start: 6_120_744, k: 4, n: 8, kind: 1 },
        { start: 6_903_018, k: 8, n: 8, kind: 0 },
      ],
      52_417,
      20_261_121,
    ),
    new CoreRun(5, 'sg01', [{ start: 2_655_902, k: 8, n: 8, kind: 0 }], 61_733, 411_902),
  ];
  for (const core of cores) {
    core.fetch([16_384, 16_384, 8192, 4096]);
    core.run(program);
  }
  return { cores, length: Math.max(...cores.map(({ end }) => end)) + 934_211 };
}
