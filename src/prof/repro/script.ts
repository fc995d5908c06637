/**
 * The text of a script: calls as Python source, put into the program that runs them. Texts of a profile are in comments and
 * string literals only, made by `python-value.ts`.
 */
import { statedDevice } from '../../record/fields/stated-device.js';
import type { Annotated } from '../annotate.js';
import { withLines } from './program.js';
import { argumentValue, pythonComment, pythonValue } from './python-value.js';
import type { ScriptArgument, ScriptTensor, ScriptValue } from './reproduction.js';
import type { ReproducedOp } from './reproductions.js';

/** By vendor: the device's name in PyTorch, and the import that it needs. AMD's devices have the name of NVIDIA's. */
const DEVICES: Readonly<Record<string, readonly [device: string, module: string | null]>> = {
  nvidia: ['cuda', null],
  amd: ['cuda', null],
  intel: ['xpu', null],
  huawei: ['npu', 'torch_npu'],
};

interface ScriptDevice {
  readonly device: string;
  /** Lines of Python. */
  readonly imports: readonly string[];
}

/** The device for a kernel's vendor; `cuda` for an unknown one. */
function vendorDevice({ profile, record }: Annotated): ScriptDevice {
  const vendor = statedDevice(profile, record.device)?.vendor ?? '';
  const [device, module] = (Object.hasOwn(DEVICES, vendor) ? DEVICES[vendor] : undefined) ?? ['cuda', null];
  return { device, imports: module === null ? [] : [`import ${module}  # noqa: F401`] };
}

/** Maximum kernels of one call in a script, the longest first. */
const MOST_KERNELS = 20;

function tensorText({ shape, dtype, strides, values, onHost, grad }: ScriptTensor): string {
  const options = [
    ...(strides === null ? [] : [`strides=${pythonValue(strides)}`]),
    ...(values.kind === 'index' && values.below !== undefined ? [`below=${pythonValue(values.below)}`] : []),
    ...(values.kind === 'uniform' || values.kind === 'zeros' ? [`values=${pythonValue(values.kind)}`] : []),
    ...(onHost ? ['on_host=True'] : []),
    ...(grad ? ['grad=True'] : []),
  ];
  return `T(${[pythonValue(shape), pythonValue(dtype), ...options].join(', ')})`;
}

function valueText(value: ScriptValue): string {
  if ('tensor' in value) return tensorText(value.tensor);
  if ('items' in value) return `[${value.items.map(valueText).join(', ')}]`;
  return argumentValue(value.value, value.type);
}

/** The comment after an argument: the parameter's name, then the remark. */
const argumentComment = ({ parameter, remark }: ScriptArgument): string => {
  const text = [parameter, remark].filter((part) => part !== null && part !== '').join(': ');
  return text === '' ? '' : `  ${pythonComment(text)}`;
};

const indented = (lines: readonly string[], depth: number): string[] => lines.map((line) => ' '.repeat(depth) + line);

function argumentLines(args: readonly ScriptArgument[]): string[] {
  const positional = args.filter(({ keyword }) => keyword === '');
  const named = args.filter(({ keyword }) => keyword !== '');
  const line = (arg: ScriptArgument, key = ''): string => `${key}${valueText(arg.value)},${argumentComment(arg)}`;
  return [
    'args=[',
    ...indented(
      positional.map((arg) => line(arg)),
      4,
    ),
    '],',
    ...(named.length === 0
      ? ['kwargs={},']
      : [
          'kwargs={',
          ...indented(
            named.map((arg) => line(arg, `${pythonValue(arg.keyword)}: `)),
            4,
          ),
          '},',
        ]),
  ];
}

/** A call as lines of Python. */
function opLines({ row, found, kernels, tf32, callNs, calls, share }: ReproducedOp): string[] {
  const { record } = row;
  const listed = kernels.slice(0, MOST_KERNELS).map(({ name, ns, count }) => `(${pythonValue(name)}, ${pythonValue(Math.round(ns ?? 0))}, ${pythonValue(count)}),`); // prettier-ignore
  const fields = [
    `kernel=${pythonValue(`${record.profile}:${record.id}`)},`,
    `name=${pythonValue(found.name)},`,
    ...argumentLines(found.args),
    `backward=${pythonValue(found.backward)},`,
    `tf32=${pythonValue(tf32)},`,
    `recorded_ns=${pythonValue(callNs === null ? null : Math.round(callNs))},`,
    'recorded=[',
    ...indented(listed, 4),
    '],',
    `calls=${pythonValue(calls)},`,
    `share=${pythonValue(share === null ? null : Number(share.toPrecision(4)), 'float')},`,
  ];
  const layer = row.layer.join(':');
  const trace = row.trace.join(' > ');
  return [
    ...[...found.remarks, ...(layer === '' ? [] : [`layer: ${layer}`]), ...(trace === '' ? [] : [`called from: ${trace}`])].map(pythonComment), // prettier-ignore
    'Op(',
    ...indented(fields, 4),
    '),',
  ];
}

/** Comments about the profile of the first call. */
function profileLines({ row }: ReproducedOp): string[] {
  const { profile, peaks } = row;
  return [
    ...(profile === null ? [] : [pythonComment(`Profile: ${profile.file} (${profile.format})`)]),
    ...(peaks.origin === 'none' ? [] : [pythonComment(`Device of the profile: ${peaks.name}`)]),
  ];
}

/**
 * The whole script.
 * @param program the program that runs the calls, with a place for `OPS`
 */
export function scriptText(ops: readonly ReproducedOp[], program: string): string {
  const [first] = ops;
  if (first === undefined) throw new Error('a script needs a call');
  const { device, imports } = vendorDevice(first.row);
  const lines = [
    ...profileLines(first),
    ...imports,
    `DEVICE = ${pythonValue(device)}`,
    'OPS = [',
    ...indented(ops.flatMap(opLines), 4),
    ']',
  ];
  return withLines(program, 'OPS', lines);
}
