// Changed words of one short text against another, in a line.

import { diffWordsWithSpace } from "diff";

import { SafeText } from "../../ui/safe_text";

export interface InlineDiffProps {
  before: string;
  after: string;
}

export function InlineDiff({ before, after }: InlineDiffProps) {
  const changes = diffWordsWithSpace(before, after, { timeout: 20 });
  if (!changes) return <SafeText text={after} />;
  return (
    <>
      {changes.map(({ value, added, removed }, index) =>
        added ? <ins key={index}><SafeText text={value} /></ins> : removed ? <del key={index}><SafeText text={value} /></del> : <SafeText key={index} text={value} />)}
    </>
  );
}
