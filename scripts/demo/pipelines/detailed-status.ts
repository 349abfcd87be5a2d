import type { PipelineStatus } from "./source.ts";

interface StatusWords {
  readonly text: string;
  /** What the label says, where it is not the text in small letters. */
  readonly label?: string;
}

const WORDS: Readonly<Record<PipelineStatus, StatusWords>> = {
  created: { text: "Created" },
  waiting_for_resource: { text: "Waiting", label: "waiting for resource" },
  preparing: { text: "Preparing" },
  waiting_for_callback: { text: "Waiting", label: "waiting for callback" },
  pending: { text: "Pending" },
  running: { text: "Running" },
  success: { text: "Passed" },
  failed: { text: "Failed" },
  canceling: { text: "Canceling" },
  canceled: { text: "Canceled" },
  skipped: { text: "Skipped" },
  manual: { text: "Blocked", label: "manual action" },
  scheduled: { text: "Scheduled" },
};

/** What a status is called where people read it, in the order of `DetailedStatusEntity`. */
export function detailedStatus(status: PipelineStatus, detailsPath: string, hasDetails: boolean) {
  const label = statusLabel(status);
  return {
    icon: `status_${status}`,
    text: WORDS[status].text,
    label,
    group: status.replaceAll("_", "-"),
    tooltip: label,
    has_details: hasDetails,
    details_path: detailsPath,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${status}.png`,
  };
}

export function statusLabel(status: PipelineStatus): string {
  const { text, label = text.toLowerCase() } = WORDS[status];
  return label;
}
