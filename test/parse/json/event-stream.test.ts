import { expect } from 'chai';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { EVENT } from '../../../src/parse/json/event-fields.js';
import type { TraceHeader } from '../../../src/parse/json/event-stream.js';
import { readTrace } from '../../../src/parse/json/read-trace.js';
import { writeTrace } from '../../support/kineto-trace.js';

interface StreamResult {
  readonly names: readonly string[];
  readonly header: TraceHeader;
  readonly odd: Readonly<Record<string, number>>;
}

/** Reads a string in steps of some bytes, so that everything crosses the border of a window. */
function streamed(text: string, step = 16): StreamResult {
  const names: string[] = [];
  const diagnostics = new Diagnostics();
  const header = readTrace(writeTrace(text), 't.json', [], diagnostics, ({ fields }) => {
    names.push(fields.has(EVENT.name) ? fields.bytes.toString('utf8', fields.from[EVENT.name], fields.to[EVENT.name]) : '');
  }, { step }); // prettier-ignore
  return { names, header, odd: diagnostics.toJSON() };
}

const event = (name: string): string => `{"ph": "X", "name": "${name}", "args": {"grid": [1, 1]}}`;
const [A, B] = [event('a'), event('b')];

describe('readTrace', () => {
  const same: [what: string, text: string][] = [
    ['an object', `{"traceEvents": [${A}, ${B}]}`],
    ['a list', `[${A}, ${B}]`],
    ['with a byte order mark', `\ufeff{"traceEvents": [${A}, ${B}]}`],
    ['events in several lists', `{"traceEvents": [${A}], "traceEvents": [${B}]}`],
    ['members on both sides', `{"a": {"traceEvents": [1]}, "traceEvents": [${A}, ${B}], "z": [[], {"y": "]"}]}`],
  ];
  for (const [what, text] of same) {
    it(`${what}: both events, nothing odd`, () => {
      for (const step of [3, 7, 1 << 20]) {
        const { names, odd } = streamed(text, step);
        expect(names).to.deep.equal(['a', 'b']);
        expect(odd).to.deep.equal({});
      }
    });
  }

  it('reads the header before or after the events, and only its own members', () => {
    const members = (device: string): string =>
      `"deviceProperties": [${device}], "distributedInfo": {"rank": 3}, "baseTimeNanoseconds": 1751410836000000000`;
    const expected = { distributedInfo: { rank: 3 }, baseTimeNanoseconds: '1751410836000000000' };
    for (const text of [`{${members('1')}, "traceEvents": []}`, `{"traceEvents": [], ${members('1')}}`])
      expect(streamed(text).header).to.deep.equal({ ...expected, deviceProperties: [1] });
    const nested = `{"metadata": {${members('1')}}, "traceEvents": []}`;
    expect(streamed(nested).header).to.deep.equal({
      deviceProperties: null,
      distributedInfo: null,
      baseTimeNanoseconds: null,
    });
  });

  it('a header that cannot be read is not there', () => {
    const { header, names } = streamed(
      `{"deviceProperties": [N/A], "baseTimeNanoseconds": "x", "traceEvents": [${A}]}`,
    );
    expect(header).to.deep.include({ baseTimeNanoseconds: null });
    expect(header.deviceProperties ?? null).to.equal(null);
    expect(names).to.deep.equal(['a']);
  });

  const broken: [what: string, odd: string][] = [
    ['a name with quotes in it', '{"ph": "X", "name": "x "y" z[0]", "args": {"grid": [1, 1]}}'],
    ['a name with quotes and a brace in it', '{"ph": "X", "name": "x "{lambda}" [1] z", "args": {"grid": [1]}}'],
    ['keys without quotes', '{ph: "X", name: "x", "args": {"grid": [1, 1]}}'],
    ['a key without its colon', '{"ph" "X", "grid": [1, 1]}'],
    ['an object of something else', '{"a": 1}'],
    ['a text', '"x ] {"'],
    ['a list', `[${event('x')}, []]`],
    ['an empty list', '[]'],
    ['a word', 'oops'],
    ['a number', '-1.5'],
    ['a brace that closes nothing', '}'],
  ];
  for (const [what, text] of broken) {
    it(`${what} among the events is counted once; no other event is lost`, () => {
      for (const list of [`${A}, ${text}, ${B}`, `${text}, ${A}, ${B}`, `${A}, ${B}, ${text}`]) {
        for (const step of [5, 1 << 20]) {
          const { names, header, odd } = streamed(`{"traceEvents": [${list}], "distributedInfo": 5}`, step);
          expect(names, list).to.deep.equal(['a', 'b']);
          expect(odd['malformed-event'], list).to.equal(1);
          expect(odd['truncated-input'], list).to.equal(undefined);
          expect(header.distributedInfo, list).to.equal(5);
        }
      }
    });
  }

  it('an empty object is counted, but for one behind the last event, where a writer ends its list so', () => {
    expect(streamed(`{"traceEvents": [${A}, {}, ${B}]}`).odd).to.deep.equal({ 'malformed-event': 1 });
    expect(streamed(`{"traceEvents": [${A}, ${B}, {}]}`)).to.deep.include({ names: ['a', 'b'], odd: {} });
  });

  const notJson: [what: string, text: string][] = [
    ['a comma behind the last event', `{"traceEvents": [${A}, ${B},]}`],
    ['a comma before the first', `{"traceEvents": [,${A}, ${B}]}`],
    ['two commas', `{"traceEvents": [${A},, ${B}]}`],
    ['no comma', `{"traceEvents": [${A} ${B}]}`],
    ['a word for a value', `{"traceEvents": [${A}, ${B.replace('"X"', '"X", "dur": N/A')}]}`],
    ['more behind the end', `{"traceEvents": [${A}, ${B}]} ]`],
    ['more behind the list', `[${A}, ${B}] 7`],
  ];
  for (const [what, text] of notJson) {
    it(`${what} is read and counted`, () => {
      const { names, odd } = streamed(text);
      expect(names).to.deep.equal(['a', 'b']);
      expect(odd).to.deep.equal({ 'not-json': 1 });
    });
  }

  it('a second document behind the first is not read, and counted', () => {
    for (const text of [`{"traceEvents": [${A}, ${B}]}\n{"traceEvents": [${A}]}`, `[${A}, ${B}] [${A}]`]) {
      expect(streamed(text)).to.deep.include({ names: ['a', 'b'], odd: { 'second-document': 1 } });
    }
  });

  it('documents of nothing but events and their unit are one trace, as Proton writes one for each stream', () => {
    const stream = (...events: string[]): string => `{"displayTimeUnit":"us","traceEvents":[${events.join()}]}\n`;
    expect(streamed(stream(A) + stream(B) + stream(A))).to.deep.include({ names: ['a', 'b', 'a'], odd: {} });
    // What follows has a clock of its own, so nothing behind it belongs to the same trace.
    const other = `{"displayTimeUnit":"us","baseTimeNanoseconds":5,"traceEvents":[${B}]}\n`;
    expect(streamed(other + stream(A))).to.deep.include({ names: ['b'], odd: { 'second-document': 1 } });
    expect(streamed(stream(A) + stream(B).slice(0, -3))).to.deep.include({ names: ['a', 'b'], odd: { 'truncated-input': 1 } }); // prettier-ignore
  });

  it('what is not a trace is refused by name', () => {
    for (const text of ['', ' ', '5', '"traceEvents"', '{}', '{"a": [1]}', '{"traceEvents": {}}', '{"a": "'])
      expect(() => streamed(text), text)
        .to.throw()
        .with.property('line')
        .that.matches(/^t\.json: is (?:not JSON|JSON without "traceEvents") \(.*export_chrome_trace/);
  });

  it('a closed file is the end, also inside of what is passed over', () => {
    for (const text of [`[${A}, ${B}, [[{`, `[${A}, ${B}, "x`, `[${A}, ${B}, {"ph" {`, `{"traceEvents": [${A}, ${B}], "m": [`]) {
      const { names, odd } = streamed(text);
      expect(names, text).to.deep.equal(['a', 'b']);
      expect(odd['truncated-input'], text).to.equal(1);
    } // prettier-ignore
  });
});
