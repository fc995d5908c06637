/**
 * Probes: hand-made calls with a kernel name, and what each of the two references answered to them.
 */
import type { Arg, Extent, OpCall } from '../../src/record/record.js';
import type { KernelFacts } from '../../src/ops/family.js';

export const CELLS = ['op', 'flops', 'bytes', 'tc', 'params'] as const;
export type Cell = (typeof CELLS)[number];

/** One row of a report, as far as the probes ask for it. */
export interface Cells {
  readonly op: string;
  readonly flops: number | null;
  readonly bytes: number | null;
  /** '1' used, '0' possible but not used, '?' undetermined, '-' not applicable, 'na' op not known. */
  readonly tc: string;
  /** Rendered; 'na' when the op is not known. */
  readonly params: string;
}

export interface Probe {
  readonly title: string;
  readonly call: OpCall;
  readonly kernel: KernelFacts;
  /** PyProf2's answer; null when it aborted. */
  readonly pyprof2: Cells | null;
  /** NVIDIA PyProf's answer; null when it aborted. */
  readonly nvidia: Cells | null;
  /** Their classes of the op; 'Foo' is what they do not know. Null when they aborted. */
  readonly classes: readonly [pyprof2: string | null, nvidia: string | null];
}

/** A line of a probe file. */
interface Line {
  readonly probe: string;
  readonly mod: string;
  readonly op_in: string;
  readonly args: readonly Arg[];
  readonly kernel: string;
  readonly dir: 'fprop' | 'bprop';
  readonly sub: number;
  readonly grid: Extent;
  readonly cls?: string;
  readonly error?: string;
  readonly op?: string;
  readonly flops?: number;
  readonly bytes?: number;
  readonly tc?: string | number;
  readonly params?: string;
}

const parseLines = (text: string): Line[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

function answer(line: Line | undefined): Cells | null {
  if (line === undefined || line.error !== undefined) return null;
  const { op = '', flops = null, bytes = null, tc = '', params = '' } = line;
  return { op, flops, bytes, tc: String(tc), params };
}

/** The probes, from the strings of the two files; line n of one belongs to line n of the other. */
export function readProbes(pyprof2: string, nvidia: string): Probe[] {
  const others = parseLines(nvidia);
  return parseLines(pyprof2).map((line, i) => ({
    title: line.probe,
    call: { mod: line.mod, op: line.op_in, args: line.args },
    kernel: { name: line.kernel, short: line.kernel, dir: line.dir, sub: line.sub, grid: line.grid, block: null },
    pyprof2: answer(line),
    nvidia: answer(others[i]),
    classes: [line.cls ?? null, others[i]?.cls ?? null],
  }));
}
