/** The Python programs of the package, which a script completes. */

/**
 * The program with other lines between `# BEGIN NAME` and `# END NAME`.
 * @throws Error when the program has no such place
 */
export function withLines(program: string, name: string, lines: readonly string[]): string {
  const [beginning, ending] = [`# BEGIN ${name}\n`, `# END ${name}\n`];
  const [begin, end] = [program.indexOf(beginning), program.indexOf(ending)];
  if (begin === -1 || end < begin) throw new Error(`the program has no place for ${name}`);
  return `${program.slice(0, begin + beginning.length)}${lines.join('\n')}\n${program.slice(end)}`;
}
