import { expect } from 'chai';
import { AGGREGATES } from '../../src/prof/by/aggregates.js';
import { kernel } from '../support/kernels.js';
import { neuronLines } from '../support/neuron.js';
import { runCli } from '../support/run-cli.js';

const RECORDS = neuronLines([
  kernel({ id: 1, layer: ['net', 'a'], short: 'x', dur: 1000 }),
  kernel({ id: 2, layer: ['net', 'b'], short: 'y', dur: 2500 }),
  kernel({ id: 3, layer: ['net', 'a'], short: 'x', dur: 500, dir: 'bprop' }),
  kernel({ id: 4, layer: [], short: 'say "z", a', dur: 1000 }),
]);
const by = (...args: string[]) => runCli('dprof', ['-q', ...args], { input: RECORDS });

describe('dprof --by', () => {
  it('writes a row a group, the largest first', async () => {
    const { stdout, stderr, code } = await by('--by', 'kernel', '-c', 'count,total,share,median,stddev');
    expect({ stderr, code }).to.deep.equal({ stderr: '', code: 0 });
    // Of 5000 ns; the deviation of 1000 and 500 from 750 is 250 each.
    expect(stdout).to.equal(
      [
        'Kernel Count Total(ns) Share% Median(ns) StdDev(ns)',
        'y 1 2500 50.00 2500.0 0.0',
        'x 2 1500 30.00 750.0 353.6',
        'say_"z",_a 1 1000 20.00 1000.0 0.0\n',
      ].join('\n'),
    );
  });

  it('has all formats; numbers are unrounded where programs read them', async () => {
    const csv = await by('--by', 'kernel', '--csv', '-c', 'count,stddev,tflops', '--sort', 'kernel', '--no-header');
    expect(csv.stdout).to.equal(`"say ""z"", a",1,0,na\nx,2,${Math.sqrt(125000)},na\ny,1,0,na\n`);
    const json = await by('--by', 'layer,dir', '-f', 'jsonl', '-c', 'layer,dir,mean', '--sort', '+mean', '--top', '2');
    expect(json.stdout).to.equal(
      '{"layer":["net","a"],"dir":"bprop","mean":500}\n{"layer":["net","a"],"dir":"fprop","mean":1000}\n',
    );
    const table = await by('--by', 'layer', '-f', 'table', '-c', 'layer,total');
    expect(table.stdout.split('\n').slice(3, 7)).to.deep.equal([
      '│ net   │     4,000 │',
      '│   b   │     2,500 │',
      '│   a   │     1,500 │',
      '│ -     │     1,000 │',
    ]);
    const columns = await by('--by', 'layer', '-w', '40', '-c', 'layer,total,share');
    // The layer has what the others leave of 40.
    expect(columns.stdout.split('\n').slice(0, 3)).to.deep.equal([
      `Layer${' '.repeat(19)}Total(ns) Share%`,
      `net${' '.repeat(26)}4000  80.00`,
      `  b${' '.repeat(26)}2500  50.00`,
    ]);
  });

  it('takes --where of kernels, --tree, --no-tree and --depth', async () => {
    const where = await by('--by', 'dir', '-c', 'share', '--where', 'layer~net', '--no-header');
    expect(where.stdout).to.equal('fprop 87.50\nbprop 12.50\n');
    const tree = await by('--by', 'layer,kernel', '--tree', '-c', 'layer,kernel,own', '--no-header', '--depth', '1');
    expect(tree.stdout).to.equal('net * 0\nnet y 2500\nnet x 1500\n- * 0\n- say_"z",_a 1000\n');
    const flat = await by('--by', 'layer', '--no-tree', '-c', 'layer,count', '--no-header');
    expect(flat.stdout).to.equal('net:b 1\nnet:a 2\n- 1\n');
  });

  it('marks the level of rows in a tree where nothing is indented', async () => {
    const tree = await by('--by', 'layer', '--depth', '2', '-f', 'csv');
    const [head = '', ...rows] = tree.stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(','));
    const at = (name: string): number => head.indexOf(name);
    // The kernels of net:a and net:b are also in the row of net.
    expect(rows.map((row) => [row[0], row[at('Level')], row[at('Own(ns)')]])).to.deep.equal([
      ['net', '1', '0'],
      ['net:b', '2', '2500'],
      ['net:a', '2', '1500'],
      ['-', '1', '1000'],
    ]);
    expect((await by('--by', 'layer', '-c', 'layer,total', '-f', 'csv')).stdout).to.not.match(/Level/);
    const document = JSON.parse((await by('--by', 'layer', '-c', 'total', '-f', 'json')).stdout) as { answer: { level: number }[] }; // prettier-ignore
    expect(document.answer.map(({ level }) => level)).to.deep.equal([1, 2, 2, 1]);
    // One row for each prefix: no time twice.
    const flat = await by('--by', 'layer', '--no-tree', '--depth', '1', '-c', 'layer,total', '--no-header');
    expect(flat.stdout).to.equal('net 4000\n- 1000\n');
  });

  it('keeps names of groups distinct in a narrow line: 20 characters, and the innermost frame of a stack', async () => {
    const trace = (line: number) => ['lib/spawn.py:122', `home/user/models/net.py:${line}`];
    const input = neuronLines([
      kernel({ id: 1, trace: trace(41), dur: 2 }),
      kernel({ id: 2, trace: trace(7), dur: 1 }),
    ]);
    const run = await runCli('dprof', ['-q', '--by', 'trace', '-w', '62'], { input });
    // Numbers take 8 + 13 + 6 + 11 characters and 4 blanks, names the other 20.
    expect(run.stdout.split('\n').slice(0, 3)).to.deep.equal([
      'Trace                   Count     Total(ns) Share%    Mean(ns)',
      'net.py:41                   1             2  66.67         2.0',
      'net.py:7                    1             1  33.33         1.0',
    ]);
    // A stack that fits is shortened like the others; the table for a screen has all frames.
    const mixed = neuronLines([
      kernel({ id: 1, trace: trace(41), dur: 2 }),
      kernel({ id: 2, trace: ['run.py:3', 'net.py:7'] }),
    ]);
    const textOf = async (...args: string[]) =>
      (await runCli('dprof', ['-q', '--by', 'trace', '-c', 'trace,count', ...args], { input: mixed })).stdout;
    expect(await textOf('-w', '30', '--no-header')).to.equal(
      'net.py:7                     1\nnet.py:41                    1\n',
    );
    expect(await textOf('-f', 'table'))
      .to.include('│ run.py:3,net.py:7 ')
      .and.include(trace(41).join(','));
    const layer = (name: string) => ({ layer: ['LanguageModel', 'Encoder_0', name] });
    const flat = ['--by', 'layer', '--no-tree', '-c', 'layer,count', '-w', '26', '--no-header'];
    const layers = neuronLines([
      kernel({ id: 1, ...layer('Linear_0'), dur: 2 }),
      kernel({ id: 2, ...layer('MLP'), dur: 1 }),
    ]);
    // 17 characters are left: LanguageModel:Encoder_0:MLP without its first 11 characters, after a mark.
    expect((await runCli('dprof', ['-q', ...flat], { input: layers })).stdout).to.equal(
      '…coder_0:Linear_0        1\n…el:Encoder_0:MLP        1\n',
    );
    expect(run.stderr).to.match(/^dprof: -w 62 has no room for median,min,/);
  });

  it('says what records a layer or a stack where no kernel has one', async () => {
    const lines = (fields: object) =>
      `${JSON.stringify({ type: 'profile', profile: 0, file: 'net.sqlite', format: 'nsight' })}\n${neuronLines([kernel(fields)])}`;
    const notes = async (key: string, input: string): Promise<string> =>
      (await runCli('dprof', ['--by', key, '-c', 'count'], { input })).stderr;
    const layer = 'no kernel has a layer; an NVTX range around each layer, named "layer:conv1", records it';
    expect(await notes('layer', lines({}))).to.contain(`dprof: ${layer}\n`);
    expect(await notes('layer', lines({ layer: ['net'] }))).to.not.contain('layer');
    expect(await notes('trace', lines({}))).to.contain(
      'no kernel has a call stack; torch.profiler.profile(with_stack=',
    );
    expect(await notes('op', lines({}))).to.not.match(/layer|stack/);
  });

  it('says how many kernels are in no group', async () => {
    const input = neuronLines([kernel({ dur: null }), kernel({ dur: 7 })]);
    const { stdout, stderr } = await runCli('dprof', ['--by', 'kernel', '-c', 'count', '--no-header'], { input });
    expect(stdout).to.equal('k 1\n');
    expect(stderr).to.match(/^dprof: 2 kernels: .*1 without a duration, in no group/);
  });

  it('lists the columns of groups', async () => {
    const { stdout } = await by('--by', 'op', '--columns');
    for (const { key } of AGGREGATES) expect(stdout).to.match(new RegExp(`^${key} `, 'm'));
  });

  it('of no kernels is a header', async () => {
    const none = await by('--by', 'op', '-c', 'count', '--where', 'sil>1e9');
    expect(none).to.include({ stdout: 'Op Count\n', code: 0 });
  });

  const wrong: readonly [args: string[], answer: RegExp][] = [
    [['--by', 'opp'], /unknown column 'opp' \(did you mean op\?\)/],
    [['-c', 'cuont'], /unknown column 'cuont' \(did you mean count\?\)/],
    [['--sort', '-totl'], /unknown column 'totl' \(did you mean total\?\)/],
    [['-c', 'count'], /column 'count' works only with --by \(dprof --by op -c count\)/],
    [['--by', 'lyer'], /unknown column 'lyer' \(did you mean layer\?\)/],
    [['--by', 'op', '-c', 'totl'], /'totl' is neither a --by key nor a group aggregate \(did you mean total\?\)/],
    [['--by', 'op', '--sort', '-sil'], /'sil' is neither a --by key/],
    [
      ['--by', 'op', '-c', 'bound'],
      /neither a --by key nor a group aggregate \(a column of kernels: add it to --by, as in --by op,bound\)/,
    ],
    [['--by', 'op', '--depth', '0'], /--depth takes a number of at least 1, not '0'/],
    [['--tree'], /--tree needs --by/],
    [['--depth', '2'], /--depth needs --by/],
    [['--by', 'op', '--explain', '1'], /--by and --explain cannot be combined/],
    [['--by'], /--by needs a value/],
  ];
  for (const [args, answer] of wrong) {
    it(`answers wrong use with a line: ${args.join(' ')}`, async () => {
      const { stdout, stderr, code } = await by(...args);
      expect({ stdout, code }).to.deep.equal({ stdout: '', code: 2 });
      expect(stderr).to.match(/^dprof: [^\n]+\n$/).and.match(answer); // prettier-ignore
    });
  }
});
