/**
 * Attention of one head on a logical core of Trainium2: 256 queries and keys of 128 numbers in bfloat16, half of the
 * queries on each of two cores, and a projection of the result. Durations are invented.
 */
import { CoreRun, DMA_ENGINES, ENGINES, QUEUE_SEMAPHORES, queueOf, type NeuronRun, type Step } from './neuron-run.js';
import {
  BF16,
  copied,
  exponential,
  FP32,
  moved,
  multiplied,
  noOperation,
  nothing,
  notified,
  onlySemaphores,
  product as productOf,
  PSUM,
  reduced,
  relaxedOrder,
  tableLoad,
  weights,
  written,
  type Moved,
  type Place,
  type Tile,
} from './neuron-words.js';

/** Rows and columns of a tile: the tensor engine's. */
const TILE = 128;
const KEYS = 2;

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
export const bytesOf = ({ shape }: SampleTensor): number => shape.reduce((size, extent) => size * extent, BF16.bytes);

const LAYER = 'decoder/layers.0/attention';
const TILE_BYTES = TILE * TILE * BF16.bytes;

/** Tensors that instructions find in the table of inputs and outputs; the rest have a variable. */
export const TABLE = TENSORS.filter(({ kind }) => kind !== 'weight');
/** Number of a tensor's variable; 0 is the state buffer. */
export const variableOf = (tensor: string): number => 1 + TENSORS.findIndex(({ name }) => name === tensor);

const IN_STATE_BUFFER = [
  'q',
  'k0',
  'k1',
  'v0',
  'v1',
  'w_out',
  'qT',
  'k0T',
  'k1T',
  'p0',
  'p1',
  'p0T',
  'p1T',
  'o',
  'oT',
  'result',
];
const TILE_OF_PARTITION = TILE * BF16.bytes;

/** A tile in the state buffer: 128 numbers of each partition, or more. */
const tile = (name: string, size = TILE): Tile => ({
  address: 0x4000 + TILE_OF_PARTITION * IN_STATE_BUFFER.indexOf(name),
  size,
  type: BF16,
});

/** A number of each partition. */
const number = (name: 'largest' | 'bias' | 'sums' | 'factors' | 'scale'): Tile => ({
  address: 0x9000 + FP32.bytes * ['largest', 'bias', 'sums', 'factors', 'scale'].indexOf(name),
  size: 1,
  type: FP32,
});

/** Accumulators: the scores of both tiles of keys follow each other. */
const inPsum = (name: string, size = TILE): Tile => ({
  address:
    PSUM + TILE * FP32.bytes * (name.startsWith('scores') ? Number(name.slice(-1)) : name.startsWith('o') ? 8 : 4),
  size,
  type: FP32,
});

/** A tile from device memory, or to it. */
const move = (tensor: string, gives: string, way: 'in' | 'out', more: Partial<Step> = {}): Step => {
  const { engine = 'Sync' } = more;
  const isWeight = tensor === 'w_out';
  const place: Place = isWeight
    ? { kind: 'variable', variable: variableOf(tensor) }
    : {
        kind: 'table',
        entry: TABLE.findIndex(({ name }) => name === tensor),
        offset: gives.endsWith('1') ? TILE_BYTES : 0,
      };
  const inside: Place = { kind: 'state', offset: tile(way === 'in' ? gives : 'result').address };
  const moves: Moved = {
    source: way === 'in' ? place : inside,
    target: way === 'in' ? inside : place,
    semaphore: QUEUE_SEMAPHORES[queueOf(engine)],
    packets: DMA_ENGINES,
  };
  return {
    engine,
    opcode: 'DMA_DIRECT2D',
    ps: 38_000,
    gives,
    layer: `${LAYER}/${way === 'in' ? 'load' : 'store'}`,
    line: way === 'in' ? 24 : 61,
    operands: moved(moves),
    moves: {
      tensor,
      bytes: TILE_BYTES,
      packetBytes: isWeight ? 2048 : 4096,
      source: way === 'out' ? 'SB' : isWeight ? 'WEIGHT' : 'VIRTUAL',
      dest: way === 'out' ? 'VIRTUAL' : 'SB',
      move: moves,
    },
    ...more,
  };
};

interface Product {
  readonly name: string;
  /** Tiles, and results by whose semaphores these are there, where they have other names. */
  readonly weights: string;
  readonly moving: string;
  readonly ready?: string;
  readonly layer: string;
  readonly hlo: string;
  readonly line: number;
  readonly type?: Step['type'];
  /** PSUM buffers that must be free. */
  readonly after?: readonly string[];
}

/** Weights into the tensor engine, then a tile through it. */
function product({ name, weights: loaded, moving, ready, layer, hlo, line, type, after = [] }: Product): Step[] {
  const place = {
    engine: 'Tensor',
    layer: `${LAYER}/${layer}`,
    hlo,
    line,
    ...(type === undefined ? {} : { type }),
  } as const;
  const isTransposed = type === 'TRANSPOSE';
  return [
    {
      ...place,
      opcode: 'LDWEIGHTS',
      ps: 54_000,
      after: [ready ?? loaded],
      operands: weights(tile(loaded), isTransposed),
    },
    {
      ...place,
      opcode: 'MATMUL',
      ps: 112_000,
      after: [ready ?? moving, ...after],
      gives: name,
      operands: productOf(tile(moving), inPsum(name).address, isTransposed),
    },
  ];
}

/** A result from PSUM into the state buffer. */
const copy = (from: string, gives: string, layer: string, line: number, more: Partial<Step> = {}): Step => ({
  engine: 'Vector',
  opcode: 'COPY',
  ps: 131_000,
  after: [from],
  gives,
  layer: `${LAYER}/${layer}`,
  line,
  operands: copied(inPsum(from), tile(gives)),
  ...more,
});

/** A tile transposed: a product with the identity. */
const transposed = (name: string, layer: string, hlo: string, line: number): Step[] => [
  ...product({ name: `${name} in psum`, weights: name, moving: name, layer, hlo, line, type: 'TRANSPOSE' }),
  copy(`${name} in psum`, `${name}T`, layer, line, { hlo }),
];

const keys = Array.from({ length: KEYS }, (_, i) => i);

const SOFTMAX = { layer: `${LAYER}/softmax`, hlo: '%softmax.7 = softmax(%multiply.6)' } as const;

const SCORES = inPsum('scores0', KEYS * TILE);
const PROBABILITIES = tile('p0', KEYS * TILE);
const SCALE = 0.0883883;

const softmax: readonly Step[] = [
  {
    ...SOFTMAX,
    engine: 'Scalar',
    opcode: 'ACT_TABLE_LOAD',
    ps: 1_280_000,
    line: 41,
    operands: tableLoad,
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
    operands: reduced('MAX', SCORES, number('largest')),
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'TENSOR_SCALAR',
    ps: 58_000,
    after: ['largest'],
    gives: 'bias',
    line: 41,
    operands: multiplied(number('largest'), number('scale').address, number('bias')),
  },
  {
    ...SOFTMAX,
    engine: 'Scalar',
    opcode: 'ACTIVATE',
    ps: 304_000,
    after: ['table', 'bias'],
    gives: 'p',
    line: 42,
    activation: 'EXP',
    operands: exponential(SCORES, PROBABILITIES, SCALE, number('bias')),
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'TENSOR_REDUCE',
    ps: 228_000,
    after: ['p'],
    gives: 'sums',
    line: 43,
    operands: reduced('ADD', PROBABILITIES, number('sums')),
  },
  {
    ...SOFTMAX,
    engine: 'Vector',
    opcode: 'RECIPROCAL',
    ps: 61_000,
    after: ['sums'],
    gives: 'factors',
    line: 44,
    operands: copied(number('sums'), number('factors')),
  },
];

/** Every engine waits to be started, and sets how its instructions may overtake each other. */
const preamble: readonly Step[] = ENGINES.flatMap((engine): Step[] => [
  { engine, opcode: 'WRITE', ps: 63_000, operands: written(2) },
  { engine, opcode: 'SET_ORDERING_MODE', ps: 17_000, operands: relaxedOrder },
]);

/** Each engine waits for what it ran; sync waits for the others and signals the host. */
const epilogue: readonly Step[] = [
  ...ENGINES.flatMap((engine): Step[] => [
    { engine, opcode: 'DRAIN', ps: 19_000, operands: nothing },
    {
      engine,
      opcode: 'EVENT_SEMAPHORE',
      ps: 26_000,
      operands: onlySemaphores,
      ...(engine === 'Sync' ? { after: ['stored'] } : { gives: `${engine} done` }),
    },
  ]),
  ...ENGINES.slice(0, 4).map((engine): Step => ({
    engine: 'Sync',
    opcode: 'EVENT_SEMAPHORE',
    ps: 26_000,
    after: [`${engine} done`],
    operands: onlySemaphores,
  })),
  { engine: 'Sync', opcode: 'NOTIFY', ps: 48_000, operands: notified },
];

const program: readonly Step[] = [
  ...preamble,
  move('q', 'q', 'in'),
  ...keys.map((i) => move('k', `k${i}`, 'in')),
  ...keys.map((i) => move('v', `v${i}`, 'in')),
  move('w_out', 'w_out', 'in', { engine: 'GpSimd', ps: 92_000, line: 26 }),
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
      weights: `p${i}`,
      moving: `p${i}`,
      ready: 'p',
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
    operands: multiplied(inPsum('o'), number('factors').address, tile('o')),
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
    opcode: 'CAST',
    ps: 148_000,
  }),
  {
    engine: 'GpSimd',
    opcode: 'NOP',
    ps: 21_000,
    after: ['result'],
    layer: `${LAYER}/store`,
    line: 60,
    operands: noOperation,
  },
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
