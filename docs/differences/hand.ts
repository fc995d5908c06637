/**
 * The answers to matrix probes worked out a second time, by formulas written apart from src/ops: positions are counted
 * one by one, kernels identified by a few words. What both ways agree on is what the page of differences promises.
 */
import type { Arg } from '../../src/record/record.js';
import type { Cells, Probe } from './probe.js';

const SIZE: Readonly<Record<string, number>> = { float32: 4, float16: 2, bfloat16: 2 };
const SHORT: Readonly<Record<string, string>> = { float32: 'fp32', float16: 'fp16', bfloat16: 'bf16' };

const times = (...factors: readonly number[]): number => factors.reduce((a, b) => a * b, 1);
const python = (shape: readonly number[]): string =>
  `(${shape.length === 1 ? `${String(shape[0])},` : shape.join(',')})`;

const find = ({ call }: Probe, name: string, position: number): Arg | undefined =>
  call.args.find((arg) => arg.name === name) ?? call.args.filter((arg) => arg.name === '')[position];

/** Extents and element size of the tensors, in the order of the arguments. */
const tensorsOf = ({ call }: Probe): { shape: readonly number[]; size: number; short: string }[] =>
  call.args
    .filter((arg) => arg.type === 'tensor' && arg.name !== 'out')
    .map(({ shape = [], dtype = '' }) => ({ shape, size: SIZE[dtype] ?? NaN, short: SHORT[dtype] ?? '' }));

/** What a probe's kernel does. */
export function kindByHand({ kernel, call }: Probe): 'product' | 'adds' | 'helper' {
  if (/splitKreduce|nchwToNhwc|winogradForward/.test(kernel.name)) return 'helper';
  if (!/elementwise_kernel|reduce_kernel|scal_kernel|epilogue|triton_poi|calc_bias_diff/.test(kernel.name))
    return 'product';
  return call.op === 'linear' || kernel.name.includes('calc_bias_diff') ? 'adds' : 'helper';
}

/** Whether the name shows tensor cores: '1' an MMA shape or a library that has no other kernels, '0' plain FMA, else '?'. */
export function unitByHand({ kernel: { name } }: Probe): '1' | '0' | '?' {
  if (/884|1688|16816|64x128x16gemm|^nvjet|warpgroupsize|_f16f16/.test(name)) return '1';
  return /_sgemm|_scudnn|convolve_sgemm|_engine|gemmk1|gemmSN|gemv/.test(name) ? '0' : '?';
}

function linearByHand(probe: Probe): Partial<Cells> {
  const [x, w, b] = tensorsOf(probe);
  if (x === undefined || w === undefined) return {};
  const [m = 0, k = 0] = w.shape;
  const rows = x.shape.slice(0, -1);
  const n = times(...rows);
  const short = x.short === w.short ? x.short : `${x.short},${w.short}`;
  const [shownN, bias] = [rows.length === 1 ? String(n) : python(rows), m * (b?.size ?? 0)];
  if (kindByHand(probe) === 'adds') {
    const passes = probe.kernel.dir === 'bprop' ? 1 : 2;
    return {
      op: 'bias',
      flops: m * n,
      bytes: passes * m * n * x.size + bias,
      tc: '-',
      params: `M=${m},N=${shownN},${short},`,
    };
  }
  return {
    flops: 2 * m * n * k,
    bytes: n * k * x.size + m * k * w.size + n * m * x.size,
    tc: unitByHand(probe),
    params: `M=${m},N=${shownN},K=${k},${short},`,
  };
}

/** mm, bmm, baddbmm and matmul of two or more dimensions. */
function matmulByHand(probe: Probe): Partial<Cells> {
  const [a, b] = tensorsOf(probe).slice(-2);
  if (a === undefined || b === undefined) return {};
  const [m = 0, k = 0] = a.shape.slice(-2);
  const n = b.shape.at(-1) ?? 0;
  const batch = a.shape.slice(0, -2);
  const shown = `${batch.map((extent) => `B=${extent},`).join('')}M=${n},N=${m},K=${k},${a.short},`;
  return {
    flops: 2 * times(...batch) * m * n * k,
    bytes: a.size * (times(...a.shape) + times(...b.shape) + times(...batch) * m * n),
    tc: unitByHand(probe),
    params: probe.call.op === 'matmul' ? `A=${python(a.shape)},B=${python(b.shape)},${a.short},` : shown,
  };
}

/** The numbers of an argument that is one number or a list of `rank`. */
function numbers(arg: Arg | undefined, rank: number, missing: number): number[] {
  const given = arg?.value;
  if (Array.isArray(given)) return given.map(Number);
  return new Array<number>(rank).fill(typeof given === 'number' ? given : missing);
}

/** Counts the places of a window of r taps, `spread` apart, that moves by `step` over the padded extent. */
function places(size: number, r: number, step: number, pad: number, spread: number): number {
  let count = 0;
  for (let start = -pad; start + spread * (r - 1) < size + pad; start += step) count++;
  return count;
}

/** Groups of a convolution. */
export const groupsByHand = (probe: Probe): number => numbers(find(probe, 'groups', 6), 1, 1)[0] ?? 1;

function convolutionByHand(probe: Probe): Partial<Cells> {
  const [x, w] = tensorsOf(probe);
  if (x === undefined || w === undefined) return {};
  const transposed = probe.call.op.startsWith('conv_transpose');
  const [n = 0, c = 0, ...size] = x.shape;
  const [filters = 0, , ...taps] = w.shape;
  const rank = size.length;
  const groups = groupsByHand(probe);
  const k = transposed ? (w.shape[1] ?? 0) * groups : filters;
  const [step, pad, spread] = [
    numbers(find(probe, 'stride', 3), rank, 1),
    numbers(find(probe, 'padding', 4), rank, 0),
    transposed ? new Array<number>(rank).fill(1) : numbers(find(probe, 'dilation', 5), rank, 1),
  ];
  const same = find(probe, 'padding', 4)?.value === 'same';
  const out = size.map((extent, i) => {
    const [r, s, p, d] = [taps[i] ?? 1, step[i] ?? 1, pad[i] ?? 0, spread[i] ?? 1];
    if (same) return extent;
    return transposed ? s * (extent - 1) + r - 2 * p : places(extent, r, s, p, d);
  });
  const y = n * k * times(...out);
  const bias = kindByHand(probe) === 'adds';
  const padding = same ? size.map(() => 'same') : pad;
  const list = (letters: string, values: readonly (number | string)[]): string =>
    letters.split(' ').slice(-Math.max(2, rank)).map((letter, i) => `${letter}=${String(values[i])},`).join(''); // prettier-ignore
  const fill = <T>(values: readonly T[], missing: T): T[] => (rank === 1 ? [missing, ...values] : [...values]);
  const short = x.short === w.short ? x.short : `${x.short},${w.short}`;
  return {
    flops: bias ? y : 2 * (transposed ? times(...x.shape) * (k / groups) : y * (c / groups)) * times(...taps),
    bytes: bias ? (y + k) * x.size : times(...x.shape) * x.size + times(...w.shape) * w.size + y * x.size,
    tc: bias ? '-' : unitByHand(probe),
    params:
      `N=${n},C=${c},${list('D H W', fill(size, 1))}K=${k},${list('Z P Q', fill(out, 1))}` +
      `${list('T R S', fill(taps, 1))}${list('pd ph pw', fill<number | string>(padding, 0))}` +
      `${list('sd U V', fill(step, 1))}${list('dd dh dw', fill(spread, 1))}g=${groups},${short},`,
  };
}

/** The row of a matrix probe; {} for any other op. */
export function byHand(probe: Probe): Partial<Cells> {
  const { op } = probe.call;
  if (op === 'linear') return linearByHand(probe);
  if (op.startsWith('conv')) return convolutionByHand(probe);
  return /^(matmul|mm|bmm|baddbmm)$/.test(op) ? matmulByHand(probe) : {};
}

/** Some cells of a row. */
export function pick(row: Partial<Cells>, ...cells: readonly (keyof Cells)[]): Partial<Cells> {
  return Object.fromEntries(cells.map((cell) => [cell, row[cell]]));
}
