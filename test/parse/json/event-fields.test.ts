import { expect } from 'chai';
import fc from 'fast-check';
import { ARG, KINETO_ARGS } from '../../../src/parse/readers/kineto/call-arguments.js';
import { EVENT, MALFORMED, TraceEvent } from '../../../src/parse/json/event-fields.js';
import { CUT } from '../../../src/parse/json/json-bytes.js';
import { propertyRuns } from '../../support/property-runs.js';

class Reading {
  readonly event = new TraceEvent(KINETO_ARGS);
  readonly bytes: Buffer;
  readonly after: number;

  constructor(text: string) {
    this.bytes = Buffer.from(text);
    this.after = this.event.read(this.bytes, 0, this.bytes.length);
  }

  field(key: keyof typeof EVENT): string | null {
    const { from, to } = this.event.fields;
    const code = EVENT[key];
    return this.event.fields.has(code) ? this.bytes.toString('utf8', from[code], to[code]) : null;
  }

  arg(key: keyof typeof ARG): string | null {
    const { args } = this.event;
    return args.has(ARG[key]) ? this.bytes.toString('utf8', args.from[ARG[key]], args.to[ARG[key]]) : null;
  }
}

const WHOLE =
  '{"ph": "X", "cat": "kernel", "name": "k\\"1", "ts": 1.5, "args": {"External id": 7, "grid": [1, 2, 3], "stream": "a"}}';

describe('TraceEvent', () => {
  it('records the byte ranges of its values, without quotes', () => {
    const reading = new Reading(`${WHOLE}, {`);
    expect(reading.after).to.equal(WHOLE.length);
    expect(reading.field('name')).to.equal('k\\"1');
    expect(reading.field('ts')).to.equal('1.5');
    expect(reading.field('dur')).to.equal(null);
    expect(reading.event.readArgs()).to.equal(true);
    expect(reading.arg('externalId')).to.equal('7');
    expect(reading.arg('grid')).to.equal('[1, 2, 3]');
    expect(reading.arg('stream')).to.equal('a');
    expect(reading.arg('block')).to.equal(null);
    expect(reading.event).to.include({ repeatedKeys: 0, notJson: 0 });
  });

  it('keeps nothing of the previous event', () => {
    const bytes = Buffer.from('{"name": "long name of a kernel", "args": {"grid": [1]}}{"ph": "X"}');
    const event = new TraceEvent(KINETO_ARGS);
    const after = event.read(bytes, 0, bytes.length);
    expect(event.readArgs()).to.equal(true);
    event.read(bytes, after, bytes.length);
    expect(event.fields.has(EVENT.name)).to.equal(false);
    expect(event.readArgs()).to.equal(false);
    expect(event.args.has(ARG.grid)).to.equal(false);
  });

  it('keeps nothing of the args of another event at the same place', () => {
    const event = new TraceEvent(KINETO_ARGS);
    for (const [text, isObject] of [['{"args": {"grid": 1}}', true], ['{"args": ["gridd"]}', false]] as const) {
      event.read(Buffer.from(text), 0, text.length);
      expect(event.readArgs()).to.equal(isObject);
      expect(event.args.has(ARG.grid)).to.equal(isObject);
    } // prettier-ignore
  });

  it('ends its args by their brackets, also where a bare word has one', () => {
    const reading = new Reading('{"ph": "X", "args": {"stream": a{b, "grid": 7}, "name": "n"}, "cat": "c"}');
    expect(reading.field('cat')).to.equal('c');
    expect(reading.field('name')).to.equal(null);
    expect(reading.event.readArgs()).to.equal(true);
    expect([reading.arg('stream'), reading.arg('grid')]).to.deep.equal(['a{b', '7']);
    expect(reading.event.notJson).to.equal(1);
  });

  it('reads the args of the exact key, and counts their oddities alone', () => {
    const reading = new Reading('{"args": {"grid": 1, "grid": 2}, "ARGS": {"block": N/A}}');
    expect(reading.event.readArgs()).to.equal(true);
    expect([reading.arg('grid'), reading.arg('block')]).to.deep.equal(['2', null]);
    expect(reading.event).to.include({ repeatedKeys: 1, notJson: 0 });
  });

  it('is cut wherever its bytes end', () => {
    for (let end = 1; end < WHOLE.length; end++) {
      const event = new TraceEvent(KINETO_ARGS);
      expect(event.read(Buffer.from(WHOLE), 0, end), WHOLE.slice(0, end)).to.equal(CUT);
    }
  });

  it('never fails, whatever the bytes', () => {
    const piece = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', ' ', 'a', '5', '"ts"', '"args"', '\u0000');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const { after, event, bytes } = new Reading(`{${pieces.join('')}`);
        expect(after === CUT || after === MALFORMED || (after > 1 && after <= bytes.length)).to.equal(true);
        if (after > 0) event.readArgs();
      }),
      { numRuns: propertyRuns(250) },
    );
  });

  const odd: [what: string, text: string, repeated: number, notJson: number][] = [
    ['a key twice', '{"ts": 1, "ts": 2}', 1, 0],
    ['a key in another case, first', '{"Ts": 1, "ts": 2}', 0, 0],
    ['a key in another case, last', '{"ts" : 2, "TS": 1}', 0, 0],
    ['a key twice in another case', '{"TS": 1, "Ts": 2}', 1, 0],
    ['a comma behind the last value', '{"ts": 2,}', 0, 1],
    ['two commas', '{"ph": "X",, "ts": 2}', 0, 1],
    ['no comma', '{"ph": "X" "ts": 2}', 0, 1],
    ['a bare word', '{"dur": N/A, "ts": 2}', 0, 1],
    ['no value', '{"dur": , "ts": 2}', 0, 1],
  ];
  for (const [what, text, repeatedKeys, notJson] of odd) {
    it(`${what} is counted, and the rest is read`, () => {
      const reading = new Reading(text);
      expect(reading.after).to.equal(text.length);
      expect(reading.field('ts')).to.equal('2');
      expect(reading.event).to.include({ repeatedKeys, notJson });
    });
  }

  it('is none without quotes around its keys', () => {
    expect(new Reading('{ts: 5}').after).to.equal(MALFORMED);
    expect(new Reading('{"ts" 5}').after).to.equal(MALFORMED);
    expect(new Reading('{"name": "a "quoted" name"}').after).to.equal(MALFORMED);
  });

  it('args may be anything', () => {
    for (const args of ['null', '[]', '"none"', '5']) {
      const reading = new Reading(`{"args": ${args}}`);
      expect(reading.event.readArgs()).to.equal(false);
      expect(reading.arg('grid')).to.equal(null);
    }
  });
});
