import { expect } from 'chai';
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Diagnostics } from '../../../src/record/diagnostics.js';
import { UserError } from '../../../src/record/errors.js';
import { EVENT, type Fields, type TraceEvent } from '../../../src/parse/json/event-fields.js';
import { readTrace } from '../../../src/parse/json/read-trace.js';
import { KINETO_ARGS } from '../../../src/parse/readers/kineto/call-arguments.js';
import { kernel, op, traceText, writeTrace } from '../../support/kineto-trace.js';
import { itLong, itSlow } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

const textsOf = (fields: Fields): string => Array.from(fields.from, (_, code) => fields.latin1(code) ?? '').join('|');

/** An event with all that a reader can ask for. Args are read of each second event, twice, as readers may. */
function described(event: TraceEvent, number: number): string {
  const fields = textsOf(event.fields);
  if (number % 2 === 0) return fields;
  return [fields, event.readArgs(), event.readArgs(), textsOf(event.args)].join(' ');
}

/** All that is read of a file: events, header and diagnostics, or the line of the error. */
function readOf(path: string, step: number, isAhead: boolean, see?: (event: TraceEvent) => void): unknown {
  const events: string[] = [];
  const diagnostics = new Diagnostics();
  const take = (event: TraceEvent): void => {
    see?.(event);
    events.push(described(event, events.length));
  };
  try {
    const header = readTrace(path, 't.json', KINETO_ARGS, diagnostics, take, { step, isAhead });
    return { events, header, diagnostics: diagnostics.toJSON() };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { events, error: error.line, diagnostics: diagnostics.toJSON() };
  }
}

/** Expects the same of both ways, for batches of some bytes. */
function expectSame(text: string | Buffer, steps: readonly number[], see?: (path: string) => void): void {
  const plain = readOf(writeTrace(text), 1 << 20, false);
  for (const step of steps) {
    const path = writeTrace(text);
    const ahead = readOf(path, step, true, () => see?.(path));
    expect(ahead, `step ${step}`).to.deep.equal(plain);
  }
}

/** Expects the same, and that the file is read once: it is removed when the first event arrives. */
function expectReadOnce(text: string | Buffer, steps: readonly number[]): void {
  expectSame(text, steps, (path) => {
    rmSync(path, { force: true });
  });
}

const EVENTS = Array.from({ length: 40 }, (_, n) =>
  n % 3 === 0 ? op(`aten::op${n}`, n, n + 5, { 'Input Dims': [[n, 3], []] }) : kernel(`k "${n}"`, n, n),
);
const WHOLE = traceText(EVENTS, '"deviceProperties": [{"id": 0}], "distributedInfo": {"rank": 3}');
/** With an event in the midst of the others, as it is written. */
const withEvent = (text: string): string => traceText([...EVENTS.slice(0, 20), text, ...EVENTS.slice(20)]);

/** Cases in which no value is larger than a batch. */
const CASES: readonly (readonly [what: string, text: string])[] = [
  ['cut in the middle of an event', WHOLE.slice(0, WHOLE.indexOf('aten::op30') + 60)],
  ['cut between events', WHOLE.slice(0, WHOLE.indexOf('aten::op30') - 40)],
  ['a malformed event', withEvent('{"ph": "X", "name": "x "y" z[0]", "args": {"grid": [1, 1]}}')],
  ['stray values', withEvent('[1, {"ph": "X"}], "x", 5, {}')],
  ['repeated keys', withEvent('{"ph": "X", "ph": "X", "args": {"grid": 1, "grid": 2, "GRID": 3}}')],
  ['args that are no JSON', EVENTS.reduce((text) => text.replace('"stream": 7', '"stream": N/A'), WHOLE)],
  ['args that are malformed', EVENTS.reduce((text) => text.replace('"stream": 7', '{}'), WHOLE)],
  ['args that are no object', withEvent('{"ph": "X", "name": "a", "args": [1]}')],
  ['a second document', `${WHOLE}\n${WHOLE}`],
  ['more behind the end', `${WHOLE} 7`],
  ['several lists', `{"traceEvents": [${EVENTS.join()}], "traceEvents": [${EVENTS.join()}]}`],
  ['an event without values', withEvent('{"ph":1}')],
  ['an empty list', traceText([])],
  ['no list', '{"a": 1}'],
  ['no JSON', 'oops'],
  ['nothing', ''],
];

describe('a trace whose events a second thread finds', () => {
  it('gives the same as one that is read by one thread', () => {
    expectReadOnce(WHOLE, [400, 5000]);
  });

  it('is read on by the first thread where a value is larger than a batch', () => {
    for (const text of [
      withEvent('{"ph": "X", "name": "x'),
      withEvent(kernel('large', 1, 1, { pad: 'x'.repeat(5000), grid: [1, 2, 3] })),
      withEvent(`{"ph": "X", "ph": "X", "args": {"grid": 1, "grid": 2}, "z": "${'x'.repeat(5000)}"}`),
      traceText(EVENTS, `"distributedInfo": "${'x'.repeat(5000)}"`),
    ])
      expectSame(text, [1000]);
  });

  for (const [what, text] of CASES) {
    itSlow(`with ${what} gives the same`, () => {
      expectReadOnce(text, [400, 777, 1 << 20]);
    });
  }

  for (const name of readdirSync(join(ROOT, 'samples')).filter((file) => /trace\.json(?:\.gz)?$/.test(file))) {
    itSlow(`${name} gives the same`, () => {
      const bytes = readFileSync(join(ROOT, 'samples', name));
      expectReadOnce(name.endsWith('.gz') ? gunzipSync(bytes) : bytes, [20_000, 100_000]);
    });
  }

  const withHugeEvent = (): string => withEvent(kernel('large', 1, 1, { pad: 'x'.repeat(64 * 1024 * 1024) }));

  itLong('an event of more than 64 MiB is malformed, with small windows too', () => {
    expectSame(withHugeEvent(), [1_000_000]);
  });

  itSlow('an event of more than 64 MiB is malformed, whatever the size of the windows', () => {
    const text = withHugeEvent();
    expectSame(text, [5_000_000]);
    expect(readOf(writeTrace(text), 3_000_000, false)).to.have.nested.property('diagnostics.malformed-event', 1);
  });

  itSlow('ends its thread where taking an event fails', async () => {
    const threads = (): number => readdirSync('/proc/self/task').length;
    const before = threads();
    const stop = new RangeError('enough');
    const take = ({ fields }: TraceEvent): void => {
      if (fields.latin1(EVENT.name) === 'aten::op30') throw stop;
    };
    const read = (): unknown => readTrace(writeTrace(WHOLE.repeat(20)), 't', [], new Diagnostics(), take, { step: 400, isAhead: true }); // prettier-ignore
    expect(read).to.throw(stop);
    for (let turn = 0; threads() > before && turn < 100; turn++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(threads()).to.be.at.most(before);
  });
});
