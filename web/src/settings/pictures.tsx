// The person's profile picture, and the icon of the Workspace.
import { t } from "../messages/t.ts";
import { useReplica, useRow } from "../store/react.ts";
import { Avatar } from "../ui/controls.tsx";
import { drawnAnew } from "../ui/fresh-picture.ts";
import { WorkspaceIcon } from "../ui/workspace-icon.tsx";
import { loadHome, loadPeople } from "../workspace/load.ts";
import { useManages } from "./elements/form-elements.tsx";
import { PictureBlock } from "./picture.tsx";

export function ProfilePicture({ hasPicture, changed }: { hasPicture: boolean; changed: () => Promise<unknown> }) {
  const replica = useReplica();
  const { workspaceId, userId, actorId } = replica.member;
  const me = useRow("person", actorId);
  const path = `/api/v1/workspaces/${workspaceId}/people/${userId}/profile-picture/content`;
  const after = async () => {
    drawnAnew(path);
    await Promise.all([changed(), loadPeople(replica)]);
  };
  return (
    <PictureBlock
      title={t("profile.picture")}
      lead={t("picture.lead")}
      src={hasPicture ? path : null}
      put={async (file) => {
        await replica.api.replaceProfilePicture({ file });
        await after();
      }}
      remove={async () => {
        await replica.api.deleteProfilePicture();
        await after();
      }}
    >
      <Avatar person={me && { ...me, picture_url: null }} size={64} />
    </PictureBlock>
  );
}

interface Props {
  workspace: { id: string; name: string; has_icon: boolean };
  changed: () => Promise<unknown>;
}
export function WorkspaceIconBlock({ workspace: { id: workspace_id, name, has_icon }, changed }: Props) {
  const replica = useReplica();
  const manages = useManages();
  const path = `/api/v1/workspaces/${workspace_id}/icon/content`;
  const after = async () => {
    drawnAnew(path);
    await Promise.all([changed(), loadHome(replica)]);
  };
  return (
    <PictureBlock
      title={t("workspace.icon")}
      lead={t("picture.lead")}
      src={has_icon ? path : null}
      disabled={!manages}
      put={async (file) => {
        await replica.api.replaceWorkspaceIcon({ workspace_id, file });
        await after();
      }}
      remove={async () => {
        await replica.api.deleteWorkspaceIcon({ workspace_id });
        await after();
      }}
    >
      <WorkspaceIcon workspace={{ id: workspace_id, name, hasIcon: false }} size={64} />
    </PictureBlock>
  );
}
