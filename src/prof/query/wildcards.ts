/** Patterns of names: `*` stands for any characters, `?` for one; the whole text has to match, ignoring case. */

/**
 * Returns a test for strings. Time: at most the length of the pattern times the length of the text.
 * @param pattern with `*` and `?`
 */
export function wildcardTest(pattern: string): (text: string) => boolean {
  const wanted = pattern.toLowerCase();
  return (text) => isMatch(wanted, text.toLowerCase());
}

function isMatch(pattern: string, text: string): boolean {
  let [inPattern, inText] = [0, 0];
  // Position of the last *, and of the end of the text that it covers.
  let [star, covered] = [-1, 0];
  while (inText < text.length) {
    const wanted = pattern[inPattern];
    if (wanted === '*') {
      star = inPattern++;
      covered = inText;
    } else if (wanted === '?' || (wanted !== undefined && wanted === text[inText])) {
      inPattern++;
      inText++;
    } else if (star >= 0) {
      inPattern = star + 1;
      inText = ++covered;
    } else return false;
  }
  while (pattern[inPattern] === '*') inPattern++;
  return inPattern === pattern.length;
}
