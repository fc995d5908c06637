/** Inputs that are no trace, have nothing on a device, or end too early. */
import { gzipSync } from 'node:zlib';
import type { HostileTrace } from './hostile-events.js';
import { ALL, FIRST, HEAD, kernel, LAST, launch, op, TAIL, trace } from './hostile-events.js';

const refused = (title: string, text: string | Buffer, notes = 'not a trace'): HostileTrace => ({
  title,
  text,
  expect: 'error',
  kernels: [],
  notes,
});

export const NO_TRACE: readonly HostileTrace[] = [
  refused('an empty file', '', 'empty'),
  refused('white space', ' \n\t \n', 'empty'),
  refused('an empty object', '{}'),
  refused('an object of something else', '{"a": 1}'),
  refused(
    'a package.json',
    '{\n  "name": "app",\n  "version": "1.0.0",\n  "scripts": {"trace": "node --trace-events-enabled ."}\n}\n',
  ),
  refused('a list of something else', '[{"name": "app"}, {"name": "lib"}]', 'no item has a ph'),
  refused('an empty list', '[]'),
  refused('a number', '42'),
  refused('a text', '"traceEvents"'),
  refused('null', 'null'),
  refused('a page that a server sent instead', '<!DOCTYPE html>\n<html><body>404 traceEvents</body></html>'),
  refused("a Python dict's repr", "{'traceEvents': [{'ph': 'X', 'cat': 'kernel'}]}"),
  refused('UTF-16', Buffer.from(`\ufeff${trace(FIRST)}`, 'utf16le'), 'no writer of traces makes it'),
  refused('traceEvents that are an object', '{"schemaVersion": 1, "traceEvents": {"ph": "X"}}', 'no list of events'),
  refused('traceEvents that are a text', '{"schemaVersion": 1, "traceEvents": "[]"}', 'no list of events'),
  refused('a trace cut off before its events', HEAD.slice(0, 90), 'nothing can be read'),
  refused('a gzip cut off within its header', gzipSync(HEAD).subarray(0, 6), 'nothing can be unpacked'),
  refused('traceEvents that are null', '{"schemaVersion": 1, "traceEvents": null}', 'no list of events'),
];

export const NO_DEVICE: readonly HostileTrace[] = [
  {
    title: 'no device events',
    text: trace(op('aten::mm', 1), op('aten::relu', 2)),
    expect: 'diagnostic',
    kernels: [],
    notes: 'a profile line and an end line; the diagnostic says that nothing ran on a device',
  },
  {
    title: "a browser's trace",
    text:
      '{"traceEvents": [{"args": {"name": "CrBrowserMain"}, "cat": "__metadata", "name": "thread_name", "ph": "M", ' +
      '"pid": 1, "tid": 1, "ts": 0}, {"args": {"data": {}}, "cat": "devtools.timeline", "dur": 12, "name": "RunTask", ' +
      '"ph": "X", "pid": 1, "tid": 1, "ts": 4100, "tts": 90}], "metadata": {"source": "DevTools"}}',
    expect: 'error',
    kernels: [],
    notes: 'says that nothing in it is of PyTorch',
  },
  { title: 'no events', text: `${HEAD}${TAIL}`, expect: 'diagnostic', kernels: [], notes: 'as without device events' },
];

const cut = (
  title: string,
  text: string | Buffer,
  kernels: readonly string[],
  notes = 'the rest is lost',
): HostileTrace => ({
  title: `cut ${title}`,
  text,
  expect: 'diagnostic',
  kernels,
  notes: `${notes}; the diagnostic says that the trace is cut off`,
});

const WHOLE = trace(launch(1), FIRST, launch(5), kernel('odd', 5), launch(9), LAST);
const until = (mark: string, plus = 0): string => WHOLE.slice(0, WHOLE.lastIndexOf(mark) + plus);
const ESCAPED = trace(FIRST, kernel('od\\u00e9', 5));
const ACCENTED = Buffer.from(trace(FIRST, kernel('odd', 5), kernel('lást', 9)));

export const CUT: readonly HostileTrace[] = [
  cut('behind the bracket of the events', HEAD.trimEnd(), [], 'nothing can be read'),
  cut('within a key', until('"block"', 4), ['first', 'odd']),
  cut('within a name', until('"last"', 3), ['first', 'odd'], 'half a name is no name'),
  cut('within a number', until('900.000', 2), ['first', 'odd'], '90 is not 900.000'),
  cut('within args', until('"stream"'), ['first', 'odd'], 'a kernel without its end is not whole'),
  cut('between args and the end of their event', WHOLE.slice(0, WHOLE.lastIndexOf('}}') + 1), ['first', 'odd']),
  cut('behind an event', until('}}', 2), ALL, 'all events are whole, nothing is lost'),
  cut('behind a comma', WHOLE.slice(0, WHOLE.indexOf('},\n{"ph": "X", "cat": "kernel", "name": "odd"') + 2), ['first']),
  cut('within an escape', ESCAPED.slice(0, ESCAPED.indexOf('\\u00e9') + 4), ['first']),
  cut('within a character', ACCENTED.subarray(0, ACCENTED.indexOf('á') + 1), ['first', 'odd']),
  cut('behind the events', until(', "traceName"'), ALL, 'nothing is lost'),
  // Level 0 stores: 10 bytes of header and 5 of a block stand in front of the text.
  cut(
    'with gzip',
    gzipSync(WHOLE, { level: 0 }).subarray(0, 15 + WHOLE.indexOf('"cbid": 211, "correlation": 9')),
    ['first', 'odd'],
    'unpack what there is',
  ),
];
