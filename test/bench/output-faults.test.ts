import { expect } from 'chai';
import { writingCommands, type WritingCommand } from '../../bench/output-faults/commands.js';
import { isLeftOut, OutputFaults, PLACES, type End } from '../../bench/output-faults/places.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { FORMATS } from '../../src/write/formats.js';
import { describeWithProcess } from '../support/sets.js';

describeWithProcess('output that cannot be written', () => {
  const faults = new OutputFaults();
  let commands: readonly WritingCommand[] = [];
  before(async () => (commands = await writingCommands(faults.folder('inputs'))));
  after(() => {
    faults.dispose();
  });

  it('is tried with every command, and every format of tables', () => {
    const names = commands.map(({ name }) => name);
    for (const command of Object.keys(COMMANDS))
      expect(names.filter((name) => name.startsWith(`dprof ${command} `)).length).to.be.above(1);
    for (const { id } of FORMATS) expect(names).to.include(`dprof summary -f ${id} net.jsonl`);
    expect(new Set(names).size).to.equal(names.length);
  });

  const SAID: Readonly<Record<string, readonly (End | null)[]>> = {
    reported: ['reported', null],
    quietly: ['quiet', 'whole'],
    never: ['whole', null],
  };
  for (const name of ['dparse -f records lenet.nsys.sqlite', 'dprof summary -f parquet net.jsonl', 'dprof sql --help'])
    it(`of ${name} is reported, wherever it goes`, () => {
      const command = commands.find((one) => one.name === name);
      if (command === undefined) throw new Error(`no ${name}`);
      for (const place of PLACES.filter((one) => !isLeftOut(command, one)))
        expect(faults.end(command, place), place.name).to.be.oneOf([...(SAID[place.ends ?? 'reported'] ?? [])]);
    });
});
