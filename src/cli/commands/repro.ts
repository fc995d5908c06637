/** `dprof repro`: a script that runs the op of a kernel alone, shapes for GEMM benchmarks, and a script that measures peaks. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Analysis } from '../../prof/analysis.js';
import { isOfProduct, gemmShape, shapesText, type ListedShape } from '../../prof/repro/gemm-shapes.js';
import { OneReproduction, TopReproductions, type ReproducedOp } from '../../prof/repro/reproductions.js';
import { peaksScript } from '../../prof/repro/peaks-script.js';
import { scriptText } from '../../prof/repro/script.js';
import { parseKernelId } from '../../prof/report/explain.js';
import { Annotator } from '../../prof/report/report.js';
import { parseWhere } from '../../prof/query/kernel-query.js';
import { UsageError, UserError } from '../../record/errors.js';
import { integer, type Arguments } from '../arguments.js';
import { CHOICE_OPTIONS } from '../choice-options.js';
import { withOutput } from '../output.js';
import { packageFolder } from '../package-folder.js';
import { recordsCommand, type RecordsRequest } from '../records-command.js';
import { runAnalysis } from '../run-analysis.js';
import { TOP_OPTION, unfit, WHERE_OPTION } from '../shared-options.js';

/** Default number of calls in a script for several. */
const USUAL_TOP = 10;

const PEAKS_SCRIPT = 'device-peaks';

/** A program of the package. @throws UserError when the package is incomplete */
function program(name: string): string {
  const path = join(packageFolder(), 'python', name);
  if (!existsSync(path)) throw new UserError('is missing', { where: path, hint: 'install dprof again' });
  return readFileSync(path, 'utf8');
}

/** The kernel that the first operand names, and the inputs after it. @throws UsageError for anything else in its place */
function wantedOf(given: Arguments, files: readonly string[]) {
  const where = given.read('where', parseWhere);
  const top = given.read('top', (text) => integer('--top', text, 1));
  const [first, ...rest] = files;
  const isId = first !== undefined && /^(?:\d+:)?\d+$/.test(first) && !existsSync(first);
  if (where !== undefined || top !== undefined) {
    if (isId)
      throw new UsageError(`${first} cannot be combined with --where or --top`, 'give an IDX, or these options');
    return { wanted: null, where, top: top ?? USUAL_TOP, files };
  }
  if (first === undefined) throw new UsageError('repro needs the IDX of a kernel, or --top N', REPRO_HINT);
  return { wanted: parseKernelId(first, 'dprof repro'), where, top: 1, files: rest };
}

const REPRO_HINT = 'dprof -c idx,kernel,op,sil --sort sil --top 10 FILE lists the longest';

/** Prints the script that measures peaks, which needs no input. */
async function printPeaksScript(given: Arguments, { output, files }: RecordsRequest): Promise<void> {
  if (files.length > 0)
    throw new UsageError(`--${PEAKS_SCRIPT} reads no file`, `dprof repro --${PEAKS_SCRIPT} > peaks.py`);
  const stray = ['where', 'top', 'format'].find((name) => given.text(name) !== undefined);
  if (stray !== undefined) throw new UsageError(`--${PEAKS_SCRIPT} cannot be combined with --${stray}`);
  await withOutput(output, [], async (write) => write(peaksScript(program('device_peaks.py'))));
}

/** The matrix products among the calls. @throws UserError when there are none */
function shapesOf(ops: readonly ReproducedOp[]): ListedShape[] {
  const shapes = ops.flatMap((reproduced): ListedShape[] => {
    const { row, found } = reproduced;
    const shape = gemmShape(found, row.unitUse?.dtype === 'tf32' ? 'tf32' : null);
    return shape === null ? [] : [{ shape, reproduced }];
  });
  if (shapes.length > 0) return shapes;
  const names = [...new Set(ops.map(({ found }) => `${found.backward ? 'the gradient of ' : ''}${found.name}`))];
  throw new UserError(`no matrix product that BLAS computes in one call: ${names.slice(0, 3).join(', ')}`, {
    hint: "-f script runs any op; --where 'op==mm || op==linear' selects products",
  });
}

export const repro = recordsCommand(
  {
    name: 'dprof repro',
    usage: 'dprof repro IDX [FILE...], or dprof repro --top N [--where EXPR] [FILE...]',
    about: [
      'Writes a PyTorch script that runs the op of a kernel alone, with its recorded shapes, types, layouts and values, and prints',
      "its time beside the profile's.",
    ],
    operands: [
      'IDX: a kernel, as in dprof --explain (IDX or PROFILE:IDX). FILE: a profile, or dparse records. Default: stdin.',
    ],
    options: [
      { ...WHERE_OPTION, help: 'the longest calls of matching kernels, each distinct call once' },
      { ...TOP_OPTION, help: `at most N calls (${USUAL_TOP})` },
      { name: PEAKS_SCRIPT, help: "print a script that measures this device's peaks for --peaks" },
      ...CHOICE_OPTIONS,
    ],
    unfit: unfit(['peaks'], 'a script has no rates; dprof --explain IDX --peaks DEV has them'),
    notes: [
      [
        'script: needs PyTorch and a device. It runs each call 10 times to warm up, then 50 times, overwriting the caches before',
        'each run, and prints the median and the least time, and the kernels that ran. Indices are random within the range that',
        'shapes allow; the values of other tensors are random. A kernel of a backward pass that has only its forward call (PyProf)',
        'runs as the gradient of that call.',
        'An op is refused if an argument that changes its time is not recorded. What is not recorded and does not change the time,',
        'such as eps, is a default, with a comment.',
        'shapes: matrix products only: command lines of hipblaslt-bench and rocblas-bench, then a table in CSV.',
        `--${PEAKS_SCRIPT}: python3 peaks.py > peaks.json measures matrix products and memory; dprof --peaks peaks.json FILE`,
        'compares kernels with the results.',
        'Memory: at most 300 MB; beyond 5,000 distinct calls, or 16 MB of arguments, kernels are counted and left out.',
      ],
    ],
    examples: [
      'dprof repro 42 net.pt.trace.json.gz > op.py && python3 op.py',
      "dprof repro --where 'tc==0 && sil>9' --top 5 -o ops.py net.pt.trace.json.gz",
      'dprof repro -f shapes --top 100 net.pt.trace.json.gz > shapes.txt',
      `dprof repro --${PEAKS_SCRIPT} > peaks.py && python3 peaks.py > peaks.json`,
    ],
  },
  ['script', 'shapes'],
  async (given, request) => {
    if (given.on(PEAKS_SCRIPT)) return printPeaksScript(given, request);
    const { wanted, where, top, files } = wantedOf(given, request.files);
    const isShapes = request.format === 'shapes';
    const analysis: Analysis<readonly ReproducedOp[]> =
      wanted === null
        ? new TopReproductions(where, top, isShapes ? isOfProduct : undefined)
        : new OneReproduction(wanted);
    await runAnalysis(
      { ...request, files },
      {
        analysis,
        annotator: new Annotator(null, true),
        isDocument: true,
        print: ({ facts }, write) =>
          write(isShapes ? shapesText(shapesOf(facts)) : scriptText(facts, program('repro.py'))),
      },
    );
  },
);
