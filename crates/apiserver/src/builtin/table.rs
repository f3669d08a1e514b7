//! What is served, as `kubectl api-resources` of version 1.35 prints it.

use k8s_openapi::api::{
    admissionregistration::v1 as admissionregistration, apps::v1 as apps,
    authentication::v1 as authentication, authorization::v1 as authorization,
    autoscaling::v1 as autoscaling_v1, autoscaling::v2 as autoscaling_v2, batch::v1 as batch,
    certificates::v1 as certificates, coordination::v1 as coordination, core::v1 as core,
    discovery::v1 as discovery, events::v1 as events, flowcontrol::v1 as flowcontrol,
    networking::v1 as networking, node::v1 as node, policy::v1 as policy, rbac::v1 as rbac,
    resource::v1 as resource, scheduling::v1 as scheduling, storage::v1 as storage,
};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1 as apiextensions;
use k8s_openapi::kube_aggregator::pkg::apis::apiregistration::v1 as apiregistration;

use super::entry::{Entry, Group, Verbs};
use super::names::{dns1035_label, label, path_segment};
use super::schema::add;
use super::{autoscaler, cluster, config, event, job, namespace, network, pod, service, volume, workload};

const CORE: Group = Group("", "v1");
const APPS: Group = Group("apps", "v1");
const BATCH: Group = Group("batch", "v1");
const AUTOSCALING_V2: Group = Group("autoscaling", "v2");
const AUTOSCALING_V1: Group = Group("autoscaling", "v1");
const NETWORKING: Group = Group("networking.k8s.io", "v1");
const POLICY: Group = Group("policy", "v1");
const RBAC: Group = Group("rbac.authorization.k8s.io", "v1");
const STORAGE: Group = Group("storage.k8s.io", "v1");
const COORDINATION: Group = Group("coordination.k8s.io", "v1");
const EVENTS: Group = Group("events.k8s.io", "v1");
const DISCOVERY: Group = Group("discovery.k8s.io", "v1");
const SCHEDULING: Group = Group("scheduling.k8s.io", "v1");
const APIEXTENSIONS: Group = Group("apiextensions.k8s.io", "v1");
const APIREGISTRATION: Group = Group("apiregistration.k8s.io", "v1");
const ADMISSION: Group = Group("admissionregistration.k8s.io", "v1");
const AUTHENTICATION: Group = Group("authentication.k8s.io", "v1");
const AUTHORIZATION: Group = Group("authorization.k8s.io", "v1");
const CERTIFICATES: Group = Group("certificates.k8s.io", "v1");
const NODE: Group = Group("node.k8s.io", "v1");
const FLOWCONTROL: Group = Group("flowcontrol.apiserver.k8s.io", "v1");
const RESOURCE: Group = Group("resource.k8s.io", "v1");

/// Every built-in kind.
pub(super) const TABLE: &[Entry] = &[
    CORE.namespaced("Binding", "bindings", add::<core::Binding>).verbs(Verbs::Create),
    CORE.cluster("ComponentStatus", "componentstatuses", add::<core::ComponentStatus>)
        .short(&["cs"])
        .verbs(Verbs::Read),
    CORE.namespaced("ConfigMap", "configmaps", add::<core::ConfigMap>)
        .rules(config::CONFIG_MAP)
        .short(&["cm"]),
    CORE.namespaced("Endpoints", "endpoints", add::<core::Endpoints>)
        .rules(cluster::ENDPOINTS)
        .short(&["ep"]),
    CORE.namespaced("Event", "events", add::<core::Event>)
        .rules(event::CORE_EVENT)
        .named(path_segment)
        .short(&["ev"])
        .selectable(&[
            ".involvedObject.kind",
            ".involvedObject.namespace",
            ".involvedObject.name",
            ".involvedObject.uid",
            ".involvedObject.apiVersion",
            ".involvedObject.resourceVersion",
            ".involvedObject.fieldPath",
            ".reason",
            ".reportingComponent",
            ".source",
            ".type",
        ]),
    CORE.namespaced("LimitRange", "limitranges", add::<core::LimitRange>)
        .rules(namespace::LIMIT_RANGE)
        .short(&["limits"]),
    CORE.cluster("Namespace", "namespaces", add::<core::Namespace>)
        .rules(namespace::NAMESPACE)
        .named(label)
        .short(&["ns"])
        .status()
        .selectable(&[".status.phase"]),
    CORE.cluster("Node", "nodes", add::<core::Node>)
        .short(&["no"])
        .status()
        .selectable(&[".spec.unschedulable"]),
    CORE.namespaced("PersistentVolumeClaim", "persistentvolumeclaims", add::<core::PersistentVolumeClaim>)
        .rules(volume::CLAIM)
        .short(&["pvc"])
        .status(),
    CORE.cluster("PersistentVolume", "persistentvolumes", add::<core::PersistentVolume>)
        .rules(volume::VOLUME)
        .short(&["pv"])
        .status(),
    CORE.namespaced("Pod", "pods", add::<core::Pod>)
        .rules(pod::POD)
        .short(&["po"])
        .in_all()
        .status()
        .selectable(&[
            ".spec.nodeName",
            ".spec.restartPolicy",
            ".spec.schedulerName",
            ".spec.serviceAccountName",
            ".spec.hostNetwork",
            ".status.phase",
            ".status.podIP",
            ".status.podIPs",
            ".status.nominatedNodeName",
        ]),
    CORE.namespaced("PodTemplate", "podtemplates", add::<core::PodTemplate>).rules(pod::POD_TEMPLATE),
    CORE.namespaced("ReplicationController", "replicationcontrollers", add::<core::ReplicationController>)
        .rules(workload::REPLICATION_CONTROLLER)
        .short(&["rc"])
        .in_all()
        .status()
        .scale()
        .selectable(&[".status.replicas"]),
    CORE.namespaced("ResourceQuota", "resourcequotas", add::<core::ResourceQuota>)
        .rules(namespace::RESOURCE_QUOTA)
        .short(&["quota"])
        .status(),
    CORE.namespaced("Secret", "secrets", add::<core::Secret>).rules(config::SECRET).selectable(&[".type"]),
    CORE.namespaced("ServiceAccount", "serviceaccounts", add::<core::ServiceAccount>).short(&["sa"]),
    CORE.namespaced("Service", "services", add::<core::Service>)
        .rules(service::SERVICE)
        .named(dns1035_label)
        .short(&["svc"])
        .in_all()
        .status()
        .selectable(&[".spec.clusterIP", ".spec.type"]),
    ADMISSION
        .cluster(
            "MutatingWebhookConfiguration",
            "mutatingwebhookconfigurations",
            add::<admissionregistration::MutatingWebhookConfiguration>,
        )
        .rules(cluster::WEBHOOKS)
        .in_extensions(),
    ADMISSION
        .cluster(
            "ValidatingAdmissionPolicy",
            "validatingadmissionpolicies",
            add::<admissionregistration::ValidatingAdmissionPolicy>,
        )
        .rules(cluster::ADMISSION_POLICY)
        .in_extensions()
        .status(),
    ADMISSION
        .cluster(
            "ValidatingAdmissionPolicyBinding",
            "validatingadmissionpolicybindings",
            add::<admissionregistration::ValidatingAdmissionPolicyBinding>,
        )
        .rules(cluster::ADMISSION_POLICY)
        .in_extensions(),
    ADMISSION
        .cluster(
            "ValidatingWebhookConfiguration",
            "validatingwebhookconfigurations",
            add::<admissionregistration::ValidatingWebhookConfiguration>,
        )
        .rules(cluster::WEBHOOKS)
        .in_extensions(),
    APIEXTENSIONS
        .cluster(
            "CustomResourceDefinition",
            "customresourcedefinitions",
            add::<apiextensions::CustomResourceDefinition>,
        )
        .rules(cluster::DEFINITION)
        .short(&["crd", "crds"])
        .in_extensions()
        .status(),
    APIREGISTRATION
        .cluster("APIService", "apiservices", add::<apiregistration::APIService>)
        .named(path_segment)
        .in_extensions()
        .status(),
    APPS.namespaced("ControllerRevision", "controllerrevisions", add::<apps::ControllerRevision>)
        .rules(workload::CONTROLLER_REVISION),
    APPS.namespaced("DaemonSet", "daemonsets", add::<apps::DaemonSet>)
        .rules(workload::DAEMON_SET)
        .short(&["ds"])
        .in_all()
        .status(),
    APPS.namespaced("Deployment", "deployments", add::<apps::Deployment>)
        .rules(workload::DEPLOYMENT)
        .short(&["deploy"])
        .in_all()
        .status()
        .scale(),
    APPS.namespaced("ReplicaSet", "replicasets", add::<apps::ReplicaSet>)
        .rules(workload::REPLICA_SET)
        .short(&["rs"])
        .in_all()
        .status()
        .scale()
        .selectable(&[".status.replicas"]),
    APPS.namespaced("StatefulSet", "statefulsets", add::<apps::StatefulSet>)
        .rules(workload::STATEFUL_SET)
        .named(label)
        .short(&["sts"])
        .in_all()
        .status()
        .scale(),
    AUTHENTICATION
        .cluster("SelfSubjectReview", "selfsubjectreviews", add::<authentication::SelfSubjectReview>)
        .verbs(Verbs::Create),
    AUTHENTICATION
        .cluster("TokenReview", "tokenreviews", add::<authentication::TokenReview>)
        .verbs(Verbs::Create),
    AUTHORIZATION
        .namespaced(
            "LocalSubjectAccessReview",
            "localsubjectaccessreviews",
            add::<authorization::LocalSubjectAccessReview>,
        )
        .verbs(Verbs::Create),
    AUTHORIZATION
        .cluster(
            "SelfSubjectAccessReview",
            "selfsubjectaccessreviews",
            add::<authorization::SelfSubjectAccessReview>,
        )
        .verbs(Verbs::Create),
    AUTHORIZATION
        .cluster(
            "SelfSubjectRulesReview",
            "selfsubjectrulesreviews",
            add::<authorization::SelfSubjectRulesReview>,
        )
        .verbs(Verbs::Create),
    AUTHORIZATION
        .cluster("SubjectAccessReview", "subjectaccessreviews", add::<authorization::SubjectAccessReview>)
        .verbs(Verbs::Create),
    AUTOSCALING_V2
        .namespaced(
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
            add::<autoscaling_v2::HorizontalPodAutoscaler>,
        )
        .rules(autoscaler::AUTOSCALER)
        .short(&["hpa"])
        .in_all()
        .status(),
    AUTOSCALING_V1
        .namespaced(
            "HorizontalPodAutoscaler",
            "horizontalpodautoscalers",
            add::<autoscaling_v1::HorizontalPodAutoscaler>,
        )
        .rules(autoscaler::AUTOSCALER_V1)
        .short(&["hpa"])
        .in_all()
        .status(),
    BATCH
        .namespaced("CronJob", "cronjobs", add::<batch::CronJob>)
        .rules(job::CRON_JOB)
        .short(&["cj"])
        .in_all()
        .status(),
    BATCH
        .namespaced("Job", "jobs", add::<batch::Job>)
        .rules(job::JOB)
        .in_all()
        .status()
        .selectable(&[".status.successful"]),
    CERTIFICATES
        .cluster(
            "CertificateSigningRequest",
            "certificatesigningrequests",
            add::<certificates::CertificateSigningRequest>,
        )
        .named(path_segment)
        .short(&["csr"])
        .status()
        .selectable(&[".spec.signerName"]),
    COORDINATION.namespaced("Lease", "leases", add::<coordination::Lease>).rules(cluster::LEASE),
    DISCOVERY
        .namespaced("EndpointSlice", "endpointslices", add::<discovery::EndpointSlice>)
        .rules(cluster::ENDPOINT_SLICE),
    EVENTS.namespaced("Event", "events", add::<events::Event>).rules(event::EVENT).short(&["ev"]).selectable(
        &[
            ".regarding.kind",
            ".regarding.namespace",
            ".regarding.name",
            ".regarding.uid",
            ".regarding.apiVersion",
            ".regarding.resourceVersion",
            ".regarding.fieldPath",
            ".reason",
            ".reportingController",
            ".type",
        ],
    ),
    FLOWCONTROL.cluster("FlowSchema", "flowschemas", add::<flowcontrol::FlowSchema>).status(),
    FLOWCONTROL
        .cluster(
            "PriorityLevelConfiguration",
            "prioritylevelconfigurations",
            add::<flowcontrol::PriorityLevelConfiguration>,
        )
        .status(),
    NETWORKING
        .cluster("IngressClass", "ingressclasses", add::<networking::IngressClass>)
        .rules(network::INGRESS_CLASS),
    NETWORKING
        .namespaced("Ingress", "ingresses", add::<networking::Ingress>)
        .rules(network::INGRESS)
        .short(&["ing"])
        .status(),
    NETWORKING
        .cluster("IPAddress", "ipaddresses", add::<networking::IPAddress>)
        .named(path_segment)
        .short(&["ip"]),
    NETWORKING
        .namespaced("NetworkPolicy", "networkpolicies", add::<networking::NetworkPolicy>)
        .rules(network::NETWORK_POLICY)
        .short(&["netpol"]),
    NETWORKING.cluster("ServiceCIDR", "servicecidrs", add::<networking::ServiceCIDR>).status(),
    NODE.cluster("RuntimeClass", "runtimeclasses", add::<node::RuntimeClass>),
    POLICY
        .namespaced("PodDisruptionBudget", "poddisruptionbudgets", add::<policy::PodDisruptionBudget>)
        .rules(autoscaler::DISRUPTION_BUDGET)
        .short(&["pdb"])
        .status(),
    RBAC.cluster("ClusterRoleBinding", "clusterrolebindings", add::<rbac::ClusterRoleBinding>)
        .rules(super::rbac::CLUSTER_ROLE_BINDING)
        .named(path_segment),
    RBAC.cluster("ClusterRole", "clusterroles", add::<rbac::ClusterRole>)
        .rules(super::rbac::CLUSTER_ROLE)
        .named(path_segment),
    RBAC.namespaced("RoleBinding", "rolebindings", add::<rbac::RoleBinding>)
        .rules(super::rbac::ROLE_BINDING)
        .named(path_segment),
    RBAC.namespaced("Role", "roles", add::<rbac::Role>).rules(super::rbac::ROLE).named(path_segment),
    RESOURCE.cluster("DeviceClass", "deviceclasses", add::<resource::DeviceClass>),
    RESOURCE.namespaced("ResourceClaim", "resourceclaims", add::<resource::ResourceClaim>).status(),
    RESOURCE.namespaced(
        "ResourceClaimTemplate",
        "resourceclaimtemplates",
        add::<resource::ResourceClaimTemplate>,
    ),
    RESOURCE
        .cluster("ResourceSlice", "resourceslices", add::<resource::ResourceSlice>)
        .selectable(&[".spec.driver", ".spec.nodeName"]),
    SCHEDULING
        .cluster("PriorityClass", "priorityclasses", add::<scheduling::PriorityClass>)
        .rules(cluster::PRIORITY_CLASS)
        .short(&["pc"]),
    STORAGE.cluster("CSIDriver", "csidrivers", add::<storage::CSIDriver>).rules(volume::CSI_DRIVER),
    STORAGE.cluster("CSINode", "csinodes", add::<storage::CSINode>),
    STORAGE.namespaced("CSIStorageCapacity", "csistoragecapacities", add::<storage::CSIStorageCapacity>),
    STORAGE
        .cluster("StorageClass", "storageclasses", add::<storage::StorageClass>)
        .rules(volume::STORAGE_CLASS)
        .short(&["sc"]),
    STORAGE.cluster("VolumeAttachment", "volumeattachments", add::<storage::VolumeAttachment>).status(),
    STORAGE
        .cluster("VolumeAttributesClass", "volumeattributesclasses", add::<storage::VolumeAttributesClass>)
        .short(&["vac"]),
];
