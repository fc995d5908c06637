import { expect } from 'chai';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { writingCommands, type WritingCommand } from '../../bench/output-faults/commands.js';
import { isLeftOut, OutputFaults, PLACES, type End } from '../../bench/output-faults/places.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { FORMATS } from '../../src/write/formats.js';
import { describeWithProcess, itLong } from '../support/sets.js';

describeWithProcess('output that cannot be written', () => {
  let faults: OutputFaults;
  let commands: readonly WritingCommand[] = [];
  before(async () => {
    faults = new OutputFaults();
    commands = await writingCommands(faults.folder('inputs'));
  });
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
  for (const [name, test] of [
    ['dparse -f records lenet.nsys.sqlite', it],
    ['dprof summary -f parquet net.jsonl', itLong],
    ['dprof sql --help', it],
  ] as const)
    test(`of ${name} is reported, wherever it goes`, () => {
      const command = commands.find((one) => one.name === name);
      if (command === undefined) throw new Error(`no ${name}`);
      for (const place of PLACES.filter((one) => !isLeftOut(command, one)))
        expect(faults.end(command, place), place.name).to.be.oneOf([...(SAID[place.ends ?? 'reported'] ?? [])]);
    });

  it('leaves no folder and no disk behind when it is killed', async () => {
    const places = new URL(import.meta.resolve('../../bench/output-faults/places.js')).href;
    const code = `const { OutputFaults } = await import(${JSON.stringify(places)});
      console.log(new OutputFaults().folder('inputs'));
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, [...process.execArgv, '--input-type=module', '-e', code]);
    const [folder] = (await once(child.stdout, 'data')) as [Buffer];
    expect(existsSync(folder.toString().trim())).to.equal(true);
    child.kill('SIGKILL');
    await once(child, 'exit');
    for (let tries = 0; existsSync(dirname(folder.toString())) && tries < 100; tries++) await passed(50);
    expect(existsSync(dirname(folder.toString()))).to.equal(false);
  });
});
