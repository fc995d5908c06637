/** Traces that JSON.parse would refuse, and strings in every way that JSON can write them. */
import type { HostileTrace } from './hostile-events.js';
import { ALL, AROUND, between, FIRST, HEAD, kernel, LAST, oddKernel, TAIL, trace, read } from './hostile-events.js';

export const NOT_JSON: readonly HostileTrace[] = [
  ...['\u0001', '\t', '\n', '\u0000'].map((character) =>
    read(
      `a bare control character ${character.charCodeAt(0)} in a text`,
      between(oddKernel(['"cat"', `"note": "a${character}b", "cat"`])),
      'diagnostic',
      ALL,
      'the text goes on to its quote',
    ),
  ),
  ...['N/A', 'NaN', 'nan', '-nan', 'Infinity', '-Infinity', 'inf', 'None', 'undefined'].map((word) =>
    read(
      `${word} as a value`,
      between(oddKernel(['"stream"', `"est. achieved occupancy %": ${word}, "stream"`])),
      'diagnostic',
      ALL,
      'a value that is not known',
    ),
  ),
  ...['NaN', 'Infinity', 'N/A'].map((word) =>
    read(`${word} as dur`, between(oddKernel(['5.000', word])), 'diagnostic', ALL, 'kept; dur is null', [
      5000,
      null,
      5000,
    ]),
  ),
  read(
    'NaN as ts',
    between(oddKernel(['500.000', 'NaN'])),
    'diagnostic',
    ['odd', 'first', 'last'],
    'kept, as a row without a time',
  ),
  read('a comma behind the last event', trace(FIRST, `${LAST},`), 'diagnostic', AROUND, 'passed over'),
  read(
    'a comma behind the last key',
    between(oddKernel(['"args"', '"args"'], ['}}', '},}'])),
    'diagnostic',
    ALL,
    'passed over',
  ),
  read('a comma behind the last argument', between(oddKernel(['}}', ',}}'])), 'diagnostic', ALL, 'passed over'),
  read(
    'a comma behind the last extent',
    between(oddKernel(['[128, 1, 1]', '[128, 1, 1,]'])),
    'diagnostic',
    ALL,
    'passed over',
  ),
  read('two commas', trace(FIRST, '', LAST), 'diagnostic', AROUND, 'passed over'),
  read(
    'no comma between events',
    `${HEAD}${FIRST}\n${LAST}${TAIL}`,
    'diagnostic',
    AROUND,
    'an event ends at its brace',
  ),
  read('no value', between(oddKernel(['"stream": 7', '"stream": '])), 'diagnostic', ALL, 'a value that is not known'),
  read('a stray word between events', between('oops', kernel('odd', 5)), 'diagnostic', ALL, 'passed over'),
  read(
    'an escape that JSON does not have',
    between(oddKernel(['"odd"', '"o\\x64d"'])),
    'diagnostic',
    ['first', 'o\\x64d', 'last'],
    'the text as it stands; any name would do',
  ),
  read(
    'a bracket that closes nothing',
    between(oddKernel(['[128, 1, 1]', '[128, 1, 1]]'])),
    'diagnostic',
    ALL,
    'the event is whole without it',
  ),
  read(
    'more behind the end',
    `${trace(FIRST, LAST)}\n{"traceEvents": []}`,
    'fine',
    AROUND,
    'the rest is no part of the trace',
  ),
];

export const TEXTS: readonly HostileTrace[] = [
  read('a byte order mark', `\ufeff${trace(FIRST, LAST)}`, 'fine', AROUND, 'passed over'),
  read('lines that end in CR LF', trace(FIRST, LAST).replaceAll('\n', '\r\n'), 'fine', AROUND, 'white space'),
  read('no white space', trace(FIRST, LAST).replaceAll(/[\n ]/g, ''), 'fine', AROUND, 'as other writers do it'),
  read(
    'much white space',
    trace(FIRST, LAST).replaceAll(/([,:]) /g, `$1${'\n \t\r\n'.repeat(500)}`),
    'fine',
    AROUND,
    'white space',
  ),
  read('a list at the root', `[\n${FIRST},\n${LAST}\n]`, 'fine', AROUND, 'made by hand; without devices'),
  read(
    'escaped quotes in a name',
    between(oddKernel(['"odd"', '"o\\"d\\"d\\\\"'])),
    'fine',
    ['first', 'o"d"d\\', 'last'],
    'the backslash before the end escapes a backslash, not the quote',
  ),
  read(
    'escapes in a name',
    between(oddKernel(['"odd"', '"\\u006fd\\/\\u00e9\\ud83d\\ude00\\n\\t"'])),
    'fine',
    ['first', 'od/é😀\n\t', 'last'],
    'as in JSON',
  ),
  read(
    'half a surrogate pair',
    between(oddKernel(['"odd"', '"odd\\ud83d"'])),
    'fine',
    ['first', 'odd\ud83d', 'last'],
    'as JSON.parse has it; U+FFFD would do',
  ),
  read(
    'braces in a name',
    between(oddKernel(['"odd"', '"o}]},{[\\"traceEvents\\": [ d"'])),
    'fine',
    ['first', 'o}]},{["traceEvents": [ d', 'last'],
    'nothing in a text opens or closes anything',
  ),
  read(
    'an event within a name',
    between(oddKernel(['"odd"', JSON.stringify(kernel('no', 3))])),
    'fine',
    ['first', kernel('no', 3), 'last'],
    'a text',
  ),
  read(
    'letters beyond ASCII',
    between(oddKernel(['"odd"', '"ödd→核"'])),
    'fine',
    ['first', 'ödd→核', 'last'],
    'UTF-8, wherever the file is cut into pieces',
  ),
  read(
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(between(oddKernel(['"odd"', '"od@"']))).map((byte) => (byte === 0x40 ? 0xff : byte))]),
    'fine',
    ['first', 'od\ufffd', 'last'],
    'U+FFFD in its place',
  ),
  read(
    'a name of 1 MB',
    between(oddKernel(['"odd"', `"${'long '.repeat(200_000)}"`])),
    'fine',
    ['first', 'long '.repeat(200_000), 'last'],
    'longer than a piece of the file',
  ),
  read('an empty name', between(oddKernel(['"odd"', '""'])), 'fine', ['first', '', 'last'], 'kept'),
];
