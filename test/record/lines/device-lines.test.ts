import { expect } from 'chai';
import fc from 'fast-check';
import { jsonOf } from '../../../src/record/control-characters.js';
import {
  InstructionDetails,
  InstructionLine,
  PacketLine,
  SemaphoreLine,
  type DeviceLine,
} from '../../../src/record/lines/device-lines.js';
import { encodeLine } from '../../../src/record/jsonl.js';
import type { ProfileLine } from '../../../src/record/record.js';
import { propertyRuns } from '../../support/property-runs.js';

const number = fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.double());
const ps = fc.tuple(number, number);
const text = fc.oneof(fc.constantFrom('MATMUL', 'Tensor', 'E64', 'instruction'), fc.string({ unit: 'binary' }));
const counters = fc.dictionary(fc.oneof(fc.constantFrom('pc', 'waitNs', 'crcIn', 'crc'), fc.string()), number);

const maybe = fc.option(number, { nil: undefined });
const run = fc.record({ pc: maybe, waitNs: maybe, crcIn: maybe, crcOut: maybe });
const labels = fc.dictionary(text, fc.oneof(text, number), { maxKeys: 3 });
const details = fc
  .record({
    operands: fc.option(text),
    after: fc.array(fc.record({ id: text, kind: text }), { maxLength: 2 }),
    labels,
    counters: fc.dictionary(fc.constantFrom('elements', 'hbmReadBytes', 'compilerPc'), number),
  })
  .map((given) => new InstructionDetails(given));
const withDetails = fc.tuple(run, details).map(([counted, known]) => [known.countersOf(counted), known] as const);
const withoutDetails = counters.map((counted) => [counted, null] as const);
const instructions = fc
  .tuple(number, number, text, number, number, number, number, text, ps, fc.oneof(withDetails, withoutDetails))
  .map(([profile, id, name, start, dur, device, stream, engine, rest, [counted, known]]) => {
    return new InstructionLine(profile, id, name, start, dur, device, stream, engine, rest, counted, known);
  });
const packetDetails = fc.option(
  labels.map((given) => new InstructionDetails({ operands: '', labels: given, counters: {} })),
);
const packets = fc
  .tuple(
    number,
    number,
    number,
    number,
    number,
    number,
    text,
    number,
    fc.option(text, { nil: undefined }),
    ps,
    counters,
    packetDetails,
  )
  .map((fields) => new PacketLine(...fields));
const semaphores = fc.tuple(number, number, number, number, number).map((fields) => new SemaphoreLine(...fields));

describe('lines that write themselves', () => {
  for (const [what, lines] of Object.entries({ instructions, packets, semaphores })) {
    it(`are the text that any record has: ${what}`, () => {
      fc.assert(
        fc.property(lines as fc.Arbitrary<DeviceLine & ProfileLine>, (line) => {
          expect(encodeLine(line)).to.equal(`${jsonOf(line)}\n`);
        }),
        { numRuns: propertyRuns(250) },
      );
    });
  }

  it('have the fields of records in their order', () => {
    const line = new InstructionLine(0, 1, 'NOP', 5, 6, 4, 0, 'Tensor', [7, 8], { pc: 9 }, null);
    expect(encodeLine(line)).to.equal(
      '{"type":"kernel","profile":0,"id":1,"name":"NOP","short":"NOP","start":5,"dur":6,"device":4,"stream":0,' +
        '"engine":"Tensor","ps":[7,8],"counters":{"pc":9}}\n',
    );
    const packet = new PacketLine(0, 512, 5, 6, 4, 65, 'E65', 14, 'instruction', [7, 8], { crc: 9 }, null);
    expect(encodeLine(packet)).to.equal(
      '{"type":"copy","profile":0,"kind":"DMA","bytes":512,"start":5,"dur":6,"device":4,"stream":65,"engine":"E65",' +
        '"queue":14,"queueType":"instruction","ps":[7,8],"counters":{"crc":9}}\n',
    );
  });
});
