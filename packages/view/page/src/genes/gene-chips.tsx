/** List of chosen genes, each with a button that removes it. */

interface GeneChipsProps {
  readonly genes: readonly { readonly position: number; readonly label: string }[];
  readonly onRemove: (position: number) => void;
}

export function GeneChips({ genes, onRemove }: GeneChipsProps) {
  return (
    <ul class="gene-chips">
      {genes.map(({ position, label }) => (
        <li key={position}>
          <bdi>{label}</bdi>
          <button type="button" class="quiet" aria-label={`Remove ${label}`} onClick={() => onRemove(position)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
