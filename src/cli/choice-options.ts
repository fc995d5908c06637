/** Options that select the part of the profiles that an answer is about: ranks, devices, streams, steps and a time. */
import type { RangeName, TimeWindow } from '../prof/input/named-range.js';
import { RecordChoice } from '../prof/input/record-choice.js';
import { UsageError } from '../record/errors.js';
import { numberList, type Arguments, type Option, type Tool } from './arguments.js';

/** Ranks of a job, by profile or, in a profile of several ranks, by device. */
export const RANK_OPTION: Option = { name: 'rank', takes: 'LIST', help: 'only these ranks, e.g. 0-3,8' };
/** Devices by their numbers in the profile. */
const DEVICE_OPTION: Option = {
  name: 'device',
  takes: 'LIST',
  help: 'only these devices of the profile, e.g. 0-3,8',
};
const STREAM_OPTION: Option = { name: 'stream', takes: 'LIST', help: 'only work on these streams, e.g. 7,20' };
export const STEP_OPTION: Option = {
  name: 'step',
  takes: 'LIST',
  help: 'only work launched in these steps, e.g. 3 or 10-19',
};
export const RANGE_OPTION: Option = {
  name: 'range',
  takes: 'TEXT[#K]',
  help: 'only the time of the Kth (first) CPU range TEXT',
  conflicts: ['from', 'to'],
};
const FROM_OPTION: Option = {
  name: 'from',
  takes: 'MS',
  help: 'only events that end after MS of profile time',
};
const TO_OPTION: Option = {
  name: 'to',
  takes: 'MS',
  help: 'only events that start before MS; edges cut them',
};

/** The time of an answer. */
export const TIME_OPTIONS: readonly Option[] = [RANGE_OPTION, FROM_OPTION, TO_OPTION];
/** The same for answers that show each event as it is. */
export const UNCUT_TIME_OPTIONS: readonly Option[] = [
  { ...RANGE_OPTION, help: 'only events during the Kth (first) CPU range TEXT' },
  FROM_OPTION,
  { ...TO_OPTION, help: 'only events that start before MS; those that cross an edge are shown in full' },
];
/** Work by its place. */
export const PLACE_OPTIONS: readonly Option[] = [RANK_OPTION, DEVICE_OPTION, STREAM_OPTION];
export const CHOICE_OPTIONS: readonly Option[] = [...PLACE_OPTIONS, STEP_OPTION, ...TIME_OPTIONS];

/** Options that select a part of a profile, with messages for commands that take only whole profiles. */
export const CHOICE_NAMES: readonly string[] = ['where', ...CHOICE_OPTIONS.map(({ name }) => name)];
/** Those that select a time. */
export const TIME_NAMES: readonly string[] = TIME_OPTIONS.map(({ name }) => name);

/** Converts an option in ms to ns. @throws UsageError for anything but a number */
function nsOf(option: string, text: string): number {
  if (!/^[+-]?\d{1,12}(\.\d{1,9})?$/.test(text)) throw new UsageError(`${option} takes milliseconds, not '${text}'`);
  // Rounded to ps, because the nearest double to 1.001 is slightly smaller.
  return Math.round(Number(text) * 1e9) / 1e3;
}

/** From `--from` to `--to`, in ns; undefined without either. @throws UsageError where nothing lies between them */
export function windowOf(given: Arguments): TimeWindow | undefined {
  const from = given.read('from', (text) => nsOf('--from', text));
  const to = given.read('to', (text) => nsOf('--to', text));
  if (from === undefined && to === undefined) return undefined;
  const window = { from: from ?? -Infinity, to: to ?? Infinity };
  if (window.from >= window.to) throw new UsageError('--from must be before --to');
  return window;
}

/**
 * Parses the selection; undefined when everything is selected.
 * @param tool options that have another meaning in this tool are ignored
 */
export function readChoice(given: Arguments, { options }: Pick<Tool, 'options'>): RecordChoice | undefined {
  const list = (option: Option): ReadonlySet<number> | undefined =>
    options.includes(option) ? given.read(option.name, (text) => numberList(`--${option.name}`, text)) : undefined;
  const [rank, device, stream] = PLACE_OPTIONS.map(list);
  const chosen = {
    ...{ rank, device, stream, step: list(STEP_OPTION) },
    window: options.includes(FROM_OPTION) ? windowOf(given) : undefined,
    range: options.includes(FROM_OPTION) ? given.read('range', rangeNamed) : undefined,
  };
  return Object.values(chosen).every((value) => value === undefined) ? undefined : new RecordChoice(chosen);
}

/** @throws UsageError for an empty string */
export function rangeNamed(text: string): RangeName {
  if (text.trim() === '') throw new UsageError('--range needs the text of a range');
  return { text };
}
