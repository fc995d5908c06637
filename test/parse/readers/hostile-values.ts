/** Traces whose JSON is whole, but whose keys and values are not what PyTorch writes. */
import type { HostileTrace } from './hostile-events.js';
import { ALL, AROUND, between, FIRST, HEAD, kernel, LAST, launch, oddKernel, TAIL, read } from './hostile-events.js';

export const KEYS: readonly HostileTrace[] = [
  read(
    'a name twice',
    between(oddKernel(['"pid"', '"name": "even", "pid"'])),
    'diagnostic',
    ['first', 'even', 'last'],
    'the last one counts, as in JSON.parse',
  ),
  read(
    'args twice',
    between(oddKernel(['"args": {', '"args": {"device": 3, "stream": 99}, "args": {'])),
    'diagnostic',
    ALL,
    'the last ones count, as a whole: device 0, stream 7',
  ),
  read(
    'events twice',
    `${HEAD}${FIRST}\n], "traceEvents": [\n${LAST}${TAIL}`,
    'diagnostic',
    AROUND,
    'both lists are read: a stream cannot take back the first, as JSON.parse would',
  ),
  read(
    'keys in reverse',
    between(
      '{"args": {"block": [128, 1, 1], "grid": [1, 1, 1], "correlation": 5, "stream": 7, "device": 0}, "dur": 5.000, ' +
        '"ts": 500.000, "tid": 7, "pid": 0, "name": "odd", "cat": "kernel", "ph": "X"}',
    ),
    'fine',
    ALL,
    'the order of keys means nothing',
  ),
  read(
    'header behind the events',
    `{"traceEvents": [\n${FIRST},\n${LAST}\n], "baseTimeNanoseconds": 1751410836000000000, "schemaVersion": 1}`,
    'fine',
    AROUND,
    'startUnixNs is known only at the end: 1751410836000100000',
  ),
  read(
    'keys with escapes',
    between(oddKernel(['"name"', '"na\\u006de"'], ['"ts"', '"\\u0074s"'], ['"stream"', '"str\\u0065am"'])),
    'fine',
    ALL,
    'the same keys',
  ),
  read(
    'keys in capitals',
    between(oddKernel(['"stream"', '"Stream"'], ['"correlation"', '"Correlation"'])),
    'fine',
    ALL,
    'args differ in case between versions',
  ),
  read(
    'keys of an object in JavaScript',
    between(oddKernel(['"args": {', '"constructor": 1, "args": {"__proto__": {"stream": 99}, "toString": 2, '])),
    'fine',
    ALL,
    'stream 7; nothing is inherited from the input',
  ),
];

/** A row is kept whatever its time is. */
const UNPLACED = ['odd', 'first', 'last'];
const KEPT = 'kept: at its launch where there is one, or else where the profile starts; dur is null';

export const TIMES: readonly HostileTrace[] = [
  read('an event without ts', between(oddKernel(['"ts": 500.000, ', ''])), 'diagnostic', UNPLACED, KEPT),
  read('a kernel without dur', between(oddKernel(['"dur": 5.000, ', ''])), 'diagnostic', ALL, 'kept; dur is null', [
    5000,
    null,
    5000,
  ]),
  read('a negative dur', between(oddKernel(['5.000', '-5.000'])), 'diagnostic', ALL, 'kept; dur is null', [
    5000,
    null,
    5000,
  ]),
  read('a dur of 0', between(oddKernel(['5.000', '0'])), 'fine', ALL, 'kept', [5000, 0, 5000]),
  read(
    'a negative ts',
    between(oddKernel(['500.000', '-500.250'])),
    'fine',
    ['odd', 'first', 'last'],
    'times are relative to baseTimeNanoseconds; the profile starts there',
  ),
  read('ts as a text', between(oddKernel(['500.000', '"500.000"'])), 'fine', ALL, 'the number in it is clear'),
  read('ts as another text', between(oddKernel(['500.000', '"soon"'])), 'diagnostic', UNPLACED, KEPT),
  read('ts as null', between(oddKernel(['500.000', 'null'])), 'diagnostic', UNPLACED, KEPT),
  read('ts as a list', between(oddKernel(['500.000', '[500.000]'])), 'diagnostic', UNPLACED, KEPT),
  read('dur as a text', between(oddKernel(['5.000', '"long"'])), 'diagnostic', ALL, 'kept; dur is null', [
    5000,
    null,
    5000,
  ]),
  read('a huge ts', between(oddKernel(['500.000', '99999999999999999999999.000'])), 'diagnostic', UNPLACED, KEPT),
  read('a ts of 1e300', between(oddKernel(['500.000', '1e300'])), 'diagnostic', UNPLACED, KEPT),
  read('a dur of 1e300', between(oddKernel(['5.000', '1e300'])), 'diagnostic', ALL, 'kept; dur is null', [
    5000,
    null,
    5000,
  ]),
  read(
    'an exponent',
    between(oddKernel(['500.000', '5.0e2'], ['5.000', '5E0'])),
    'fine',
    ALL,
    'JSON numbers may have one',
    [5000, 5000, 5000],
  ),
  read(
    'times since 1970',
    `{"traceEvents": [${kernel('first', 1).replace('100.000', '1623142623460111.001')}, ${kernel('last', 9).replace('900.000', '1623142623460111.002')}]}`,
    'fine',
    AROUND,
    'the starts differ by 1 ns: a double cannot hold them, so the decimal text must be read as an integer',
  ),
  read(
    'more digits than nanoseconds',
    between(oddKernel(['500.000', '500.000499'], ['5.000', '5.0006'])),
    'fine',
    ALL,
    'rounded to nanoseconds',
    [5000, 5001, 5000],
  ),
];

export const IDS: readonly HostileTrace[] = [
  read(
    'ids above 2^53',
    between(
      oddKernel(['"correlation": 5', '"correlation": 9007199254740993']),
      launch(4).replace('"correlation": 4', '"correlation": 9007199254740992').replace('cudaLaunchKernel', 'wrong'),
      launch(5).replace('"correlation": 5', '"correlation": 9007199254740993'),
    ),
    'diagnostic',
    ALL,
    'the two ids are the same double: odd is launched by cudaLaunchKernel or by nothing known, never by wrong; corr is null or exact',
  ),
  read(
    'correlation as a text',
    between(oddKernel(['"correlation": 5', '"correlation": "5"']), launch(5)),
    'fine',
    ALL,
    'the number in it is clear',
  ),
  read(
    'a fraction for an id',
    between(oddKernel(['"correlation": 5', '"correlation": 5.5'])),
    'fine',
    ALL,
    'no id: the kernel stays, without its launch',
  ),
  read(
    'a negative correlation',
    between(oddKernel(['"correlation": 5', '"correlation": -1'])),
    'fine',
    ALL,
    'no id: the kernel stays, without its launch',
  ),
  read(
    'two launches with one id',
    between(launch(5), launch(5), kernel('odd', 5)),
    'diagnostic',
    ALL,
    'one of them, always the same one',
  ),
  read('a tid that is a text', between(oddKernel(['"tid": 7', '"tid": "stream 7"'])), 'fine', ALL, 'as in 2021'),
  read(
    'a pid that is an object',
    between(oddKernel(['"pid": 0', '"pid": {"a": 1}'])),
    'fine',
    ALL,
    'args state the device',
  ),
];

export const SHAPES: readonly HostileTrace[] = [
  read(
    'objects and lists in args',
    between(
      oddKernel([
        '"args": {',
        '"args": {"a": {"name": "no", "stream": 99, "b": [{"correlation": 8}]}, "c": [[], [[{}]]], ',
      ]),
    ),
    'fine',
    ALL,
    'only the keys of args themselves count: stream 7, correlation 5',
  ),
  read(
    'an object beside args',
    between(oddKernel(['"args": {', '"meta": {"ts": 1, "name": "no", "args": {"stream": 99}}, "args": {'])),
    'fine',
    ALL,
    'only the keys of the event itself count',
  ),
  read(
    '100 levels',
    between(oddKernel(['"args": {', `"args": {"deep": ${'['.repeat(100)}${']'.repeat(100)}, `])),
    'fine',
    ALL,
    'passed over',
  ),
  read(
    '100000 levels',
    between(oddKernel(['"args": {', `"args": {"deep": ${'{"a":['.repeat(50_000)}${']}'.repeat(50_000)}, `])),
    'fine',
    ALL,
    'passed over without recursion',
  ),
  ...['7', '"kernel"', 'null', 'true', '[]', `[${kernel('no', 3)}]`].map((value) =>
    read(
      `an event that is ${value.slice(0, 9)}`,
      between(value, kernel('odd', 5)),
      'diagnostic',
      ALL,
      'no event: passed over and counted',
    ),
  ),
  read('an empty event', between('{}', kernel('odd', 5)), 'fine', ALL, 'of no kind that is read'),
  ...['null', '[]', '"none"', '5'].map((args) =>
    read(
      `args that are ${args}`,
      between(`{"ph": "X", "cat": "kernel", "name": "odd", "pid": 0, "tid": 7, "ts": 500, "dur": 5, "args": ${args}}`),
      'fine',
      ALL,
      'kept on device 0 and stream 7, which pid and tid state; no launch is known',
    ),
  ),
  read(
    'a kernel without args',
    between('{"ph": "X", "cat": "kernel", "name": "odd", "pid": 0, "tid": 7, "ts": 500, "dur": 5}'),
    'fine',
    ALL,
    'kept; no launch is known',
  ),
  read('a grid that is not a list', between(oddKernel(['[1, 1, 1]', '"1x1x1"'])), 'fine', ALL, 'kept; grid is null'),
  read('a grid of two', between(oddKernel(['[1, 1, 1]', '[1, 1]'])), 'fine', ALL, 'kept; grid is null'),
  read('a name that is a number', between(oddKernel(['"odd"', '17'])), 'fine', ['first', '17', 'last'], 'its text'),
  read('an event without ph', between(oddKernel(['"ph": "X", ', ''])), 'fine', AROUND, 'of no kind that is read'),
  read(
    'an event without cat',
    between(oddKernel(['"cat": "kernel", ', ''])),
    'fine',
    AROUND,
    'of no kind that is read',
  ),
  read(
    'a category that nobody knows',
    between(oddKernel(['"kernel"', '"quantum_kernel"'])),
    'fine',
    AROUND,
    'of no kind that is read',
  ),
  read('a category in capitals', between(oddKernel(['"kernel"', '"Kernel"'])), 'fine', ALL, 'as in 2021'),
  ...['"GPU"', '{"id": 0}', '["H100"]', '[null, 3]', 'null', '[{"id": "zero", "name": 5, "numSms": "132"}]'].map(
    (devices) =>
      read(
        `deviceProperties that are ${devices}`,
        `{"schemaVersion": 1, "deviceProperties": ${devices}, "traceEvents": [${FIRST}, ${LAST}]}`,
        'fine',
        AROUND,
        'the device of the kernels is known by its number alone',
      ),
  ),
  read(
    'a header of other types',
    `{"schemaVersion": "one", "baseTimeNanoseconds": "now", "distributedInfo": "{'rank': 0}", "traceEvents": [${FIRST}, ${LAST}]}`,
    'fine',
    AROUND,
    'rank and startUnixNs are null',
  ),
];
