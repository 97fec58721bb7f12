// Text from elsewhere. Hidden and reordering characters appear as marks with their names.

import { isPlainText, oneLine, textPieces } from "../format/safe_text.ts";

export interface SafeTextProps {
  text: string;
  /** Shows line breaks as signs, for rows and titles. */
  line?: boolean;
}

export function SafeText({ text, line = false }: SafeTextProps) {
  if (line) return <bdi>{oneLine(text)}</bdi>;
  // bdi keeps right-to-left letters from reordering what stands beside the text.
  if (isPlainText(text)) return <bdi>{text}</bdi>;
  return (
    <bdi>
      {textPieces(text).map((piece, index) =>
        piece.mark ? <span key={index} class="ui-mark" title={piece.mark}>{piece.text}</span> : piece.text,
      )}
    </bdi>
  );
}
